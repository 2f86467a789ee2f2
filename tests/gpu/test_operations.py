"""Every kind of operation on a real GPU, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest


def test_launch_copy_memset_and_fill_do_what_they_say(recording, program, read):
    x, y = recording.array(1000, name="x"), recording.array(1000, name="y", output=True)
    x[:], y[:] = np.arange(1000), 7
    recording.launch("add", y, x, 0.5)
    recording.recorder.copy(x.ctypes.data, y.ctypes.data + 400, 40)
    recording.recorder.memset(x.ctypes.data + 40, 0, 40)
    recording.recorder.tile(x.ctypes.data + 80, np.float32(3.5).tobytes(), 10)
    made = program(recording)
    made.launch()
    expected_y = 7 + np.arange(1000, dtype=np.float32) + np.float32(0.5)
    expected_x = np.arange(1000, dtype=np.float32)
    expected_x[:10], expected_x[10:20], expected_x[20:30] = expected_y[100:110], 0, 3.5
    np.testing.assert_array_equal(read(made, "y"), expected_y)
    np.testing.assert_array_equal(read(made, "x"), expected_x)


@pytest.mark.parametrize("value", [b"\x5a", b"ab", b"abc", b"abcd", b"0123456789ab", bytes(range(200)), b"x" * 3968])
@pytest.mark.parametrize("offset", [0, 1])
def test_fills_of_every_size_and_alignment(recording, program, read, value: bytes, offset: int):
    count = 5
    target = recording.array(len(value) * count + 9, name="target", dtype="u1")
    target[:] = 255
    recording.recorder.tile(target.ctypes.data + offset, value, count)
    made = program(recording)
    made.launch()
    got = read(made, "target", "u1").tobytes()
    assert got[offset : offset + len(value) * count] == value * count
    assert set(got[:offset] + got[offset + len(value) * count :]) == {255}


def test_a_launch_of_many_blocks_reaches_every_element_once(recording, program, read):
    count = (1 << 24) + 12345
    y = recording.array(count, name="y", output=True)
    zero = recording.array(count)
    recording.launch("add", y, zero, 1.0)
    made = program(recording)
    made.launch(2)
    assert set(np.unique(read(made, "y"))) == {2.0}


@pytest.mark.parametrize(("condition", "expected"), [(1, 1.0), (0, 2.0), (-7, 1.0)])
def test_if_takes_one_branch_even_when_it_changes_the_condition(recording, program, read, condition, expected):
    flag, out = recording.array(1, name="flag", dtype="i4"), recording.array(1, name="out", output=True)
    flag[0] = condition
    address = flag.ctypes.data
    recording.branch(lambda: (recording.launch("add", out, out, 1.0), recording.recorder.memset(address, 0, 4)))
    recording.branch(lambda: (recording.launch("add", out, out, 2.0), recording.recorder.memset(address, 1, 4)))
    recording.recorder.conditional(address, False, 2)
    made = program(recording)
    made.launch()
    assert read(made, "out")[0] == expected


@pytest.mark.parametrize("turns", [0, 1, 100])
def test_while_repeats_its_body(recording, program, read, turns):
    left, out = recording.array(1, name="left", dtype="i4"), recording.array(1, name="out", output=True)
    zero = recording.array(1)
    left[0] = turns

    def body() -> None:
        recording.launch("add", out, zero, 1.0)
        recording.launch("wait", left, zero, 0.0, size=1)

    recording.branch(body)
    recording.recorder.conditional(left.ctypes.data, True, 1)
    made = program(recording)
    made.launch()
    assert read(made, "out")[0] == turns
    assert read(made, "left", "i4")[0] == 0


def test_an_if_inside_a_while_and_a_launch_after_both(recording, program, read):
    left, flag = recording.array(1, name="left", dtype="i4"), recording.array(1, name="flag", dtype="i4")
    out, zero = recording.array(1, name="out", output=True), recording.array(1)
    left[0], flag[0] = 3, 1

    def body() -> None:
        recording.branch(lambda: recording.launch("add", out, zero, 10.0))
        recording.recorder.conditional(flag.ctypes.data, False, 1)
        recording.launch("wait", left, zero, 0.0, size=1)

    recording.branch(body)
    recording.recorder.conditional(left.ctypes.data, True, 1)
    recording.launch("add", out, zero, 1.0)
    made = program(recording)
    made.launch()
    assert read(made, "out")[0] == 31


def test_a_while_with_an_empty_body_does_nothing(recording, program, read):
    flag = recording.array(1, name="flag", dtype="i4")
    flag[0] = 1
    recording.branch(lambda: None)
    recording.recorder.conditional(flag.ctypes.data, True, 1)
    made = program(recording)
    made.launch()
    assert read(made, "flag", "i4")[0] == 1


def test_inputs_change_between_launches_without_waiting(recording, program, read):
    x, y = recording.array(4, name="x"), recording.array(4, name="y", output=True)
    recording.launch("add", y, x, 0.0)
    made = program(recording)
    total = np.zeros(4, np.float32)
    for value in range(200):
        made.set_parameter("x", np.full(4, value, np.float32))
        made.launch()
        total += value
    np.testing.assert_array_equal(read(made, "y"), total)


def test_large_inputs_arrive_whole(recording, program, read):
    x, y = recording.array(1 << 22, name="x"), recording.array(1 << 22, name="y", output=True)
    recording.launch("add", y, x, 0.0)
    made = program(recording)
    data = np.random.default_rng(1).random(1 << 22, np.float32)
    made.set_parameter("x", data)
    data_before = data.copy()
    data[:] = 0  # pageable memory may be reused as soon as the call returns
    made.launch()
    np.testing.assert_array_equal(read(made, "y"), data_before)


def test_changed_launch_values_are_taken_over_in_place(new_recording, module_for, gpu, read):
    from whitecap import _native

    def recorded(amount: float) -> _native.Capture:
        recording = new_recording()
        y = recording.array(8, name="y", output=True)
        recording.launch("add", y, y, amount)
        return _native.Capture.from_bytes(recording.capture(f"sm_{gpu['arch']}").encode())

    target = f"sm_{gpu['arch']}"
    made = _native.Program(recorded(1.0), {target: module_for(target)}, device="cuda")
    made.launch()
    assert made.update(recorded(10.0))
    made.launch()
    np.testing.assert_array_equal(read(made, "y"), np.full(8, 12, np.float32))  # 1, then 1 + 1 + 10
