"""Device memory: nothing leaks, and running out of it is an error like any other."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from whitecap import _native


def free_bytes() -> int:
    gc.collect()
    return _native.cuda_memory_info()[0]


def test_a_thousand_programs_leave_the_memory_as_it_was(new_recording, module_for, gpu):
    target = f"sm_{gpu['arch']}"
    recording = new_recording()
    y = recording.array(1 << 18, name="y", output=True)
    recording.launch("add", y, y, 1.0)
    recording.recorder.tile(y.ctypes.data, b"abc", 8)
    flag = recording.array(1, dtype="i4")
    recording.branch(lambda: recording.launch("add", y, y, 1.0))
    recording.recorder.conditional(flag.ctypes.data, False, 1)
    capture, modules = recording.capture(target), {target: module_for(target)}

    def cycle(count: int) -> None:
        for _ in range(count):
            _native.Program(capture, modules, device="cuda").launch()

    cycle(20)
    before = free_bytes()
    cycle(1000)
    assert before - free_bytes() <= 2 << 20


def test_too_large_a_capture_is_refused_and_the_next_one_runs(new_recording, program, read, gpu):
    host = np.empty(1, np.uint8)
    recording = new_recording()
    # A region that no GPU has room for; its host memory is never touched.
    huge = int(gpu["memory"]) + (1 << 30)
    address = np.lib.stride_tricks.as_strided(host, (huge,), (0,)).ctypes.data
    recording.recorder.region(address, huge, 1, host)
    recording.recorder.memset(address, 0, huge)
    before = free_bytes()
    with pytest.raises(_native.NativeError) as refusal:
        program(recording)
    assert refusal.value.code == "WC_ERROR_MEMORY"
    assert "free" in str(refusal.value)
    assert free_bytes() == before
    small = new_recording()
    y = small.array(8, name="y", output=True)
    small.launch("add", y, y, 1.0)
    made = program(small)
    made.launch()
    assert set(read(made, "y")) == {1.0}


def test_live_arrays_give_their_memory_back():
    from whitecap import capture as wc

    wc.zeros(8, dtype=wc.float32, device="cuda")
    before = free_bytes()
    for _ in range(50):
        wc.zeros((1024, 1024), dtype=wc.float32, device="cuda")
    assert abs(before - free_bytes()) <= 8 << 20
