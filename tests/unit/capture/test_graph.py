"""Recording, saving and loading: byte by byte against an independent reader, and by what replays do."""

from __future__ import annotations

import os
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap import _native
from whitecap.capture import record, save

from . import wrp_reader
from .wave_frames import Frame
from .wrp_reader import Launch


@wp.struct
class Weights:
    scale: float
    data: wp.array(dtype=float)


@wp.kernel
def scaled(x: wp.array(dtype=float), y: wp.array(dtype=float), w: Weights, n: wp.int8, offset: wp.float64):
    i = wp.tid()
    y[i] = x[i] * w.scale + w.data[i] + float(n) + float(offset)


@wp.kernel
def count_down(counter: wp.array(dtype=int), steps: wp.array(dtype=int)):
    counter[0] = counter[0] - 1
    steps[0] = steps[0] + 1


@wp.kernel
def add(x: wp.array(dtype=int), amount: int):
    x[wp.tid()] = x[wp.tid()] + amount


@pytest.fixture(autouse=True)
def _no_recording_left_over() -> Any:
    yield
    record.abandon()


def saved_frame(path: Path, substeps: int = 16, flat: bool = False) -> tuple[Frame, Path]:
    frame = Frame(97, 131, substeps, flat, (60.0, 40.0))
    inputs = {"heights": frame.current, "heights_prev": frame.previous, "mouse_pos": frame.mouse}
    outputs = {"heights_out": frame.current, "heights_prev_out": frame.previous}
    return frame, wp.capture_save(frame.graph, path / "wave", inputs=inputs, outputs=outputs)


# Recording


def test_nothing_runs_while_recording() -> None:
    x = wp.zeros(4, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.launch(add, 4, inputs=[x, 3])
        x.fill_(9)
    assert not x.numpy().any()
    assert capture.graph is not None
    assert capture.graph.launch_count == 1
    assert [operation["kind"] for operation in capture.graph.operations] == ["launch", "tile"]


def test_replay_works_in_place_on_the_arrays() -> None:
    x = wp.array([1, 2, 3])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 3, inputs=[x, 10])
    wp.capture_launch(capture.graph)
    capture.graph.launch(2)
    assert x.numpy().tolist() == [31, 32, 33]
    x.assign([0, 0, 0])
    capture.graph.launch()
    assert x.numpy().tolist() == [10, 10, 10]


def test_arrays_live_as_long_as_their_graph() -> None:
    with wp.ScopedCapture() as capture:
        for _ in range(50):
            wp.launch(add, 1000, inputs=[wp.zeros(1000, dtype=int), 1])
    hogs = [np.ones(1000, np.int32) for _ in range(200)]  # would take freed memory
    capture.graph.launch(3)
    assert all((hog == 1).all() for hog in hogs)


def test_arrays_made_while_recording_are_zeroed_by_every_launch() -> None:
    with wp.ScopedCapture() as capture:
        x = wp.zeros(4, dtype=int)
        wp.launch(add, 4, inputs=[x, 5])
    capture.graph.launch(3)
    assert x.numpy().tolist() == [5, 5, 5, 5]


def test_fills_and_copies_are_recorded() -> None:
    x, y = wp.zeros(8, dtype=int), wp.zeros(8, dtype=int)
    with wp.ScopedCapture() as capture:
        x.fill_(7)
        wp.copy(y, x, dest_offset=2, src_offset=1, count=3)
        x.zero_()
        y[6:8].fill_(1)
    capture.graph.launch()
    assert x.numpy().tolist() == [0] * 8
    assert y.numpy().tolist() == [0, 0, 7, 7, 7, 0, 1, 1]


def test_conditionals_follow_the_condition_of_each_replay() -> None:
    flag, x = wp.zeros(1, dtype=int), wp.zeros(2, dtype=int)
    counter, steps = wp.array([5]), wp.zeros(1, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.capture_if(
            flag,
            on_true=lambda: wp.launch(add, 2, inputs=[x, 100]),
            on_false=lambda: wp.launch(add, 2, inputs=[x, 1]),
        )
        wp.capture_while(counter, lambda: wp.launch(count_down, 1, inputs=[counter, steps]))
    capture.graph.launch()
    assert x.numpy().tolist() == [1, 1]
    assert (counter.numpy()[0], steps.numpy()[0]) == (0, 5)
    flag.fill_(1)
    counter.fill_(3)
    capture.graph.launch()
    assert x.numpy().tolist() == [101, 101]
    assert (counter.numpy()[0], steps.numpy()[0]) == (0, 8)


def test_conditionals_outside_a_capture_run_at_once() -> None:
    counter, steps = wp.array([4]), wp.zeros(1, dtype=int)
    wp.capture_while(counter, lambda: wp.launch(count_down, 1, inputs=[counter, steps]))
    wp.capture_if(counter, on_true=lambda: steps.fill_(0))
    assert steps.numpy()[0] == 4


def test_operations_describe_a_frame() -> None:
    frame = Frame(64, 48, 16, False, (0.0, 0.0))
    operations = frame.graph.operations
    assert len(operations) == 17
    assert [operation["kernel"] for operation in operations] == ["displace"] + ["solve"] * 16
    assert all(tuple(operation["shape"]) == (64, 48) for operation in operations)
    assert [argument["access"] for argument in operations[1]["arguments"]] == ["read_write", "read", "read", "unknown"]


def test_another_thread_runs_its_launches_while_this_one_records() -> None:
    x, y = wp.zeros(2, dtype=int), wp.zeros(2, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.launch(add, 2, inputs=[x, 1])
        worker = threading.Thread(target=lambda: wp.launch(add, 2, inputs=[y, 1]))
        worker.start()
        worker.join()
    assert capture.graph is not None
    assert capture.graph.launch_count == 1
    assert y.numpy().tolist() == [1, 1]
    assert x.numpy().tolist() == [0, 0]


def test_an_empty_capture_can_be_replayed_and_saved(tmp_path: Path) -> None:
    with wp.ScopedCapture() as capture:
        pass
    assert capture.graph is not None
    capture.graph.launch()
    wp.capture_load(wp.capture_save(capture.graph, tmp_path / "empty")).launch()


# Saving, against the independent reader


def test_file_says_what_was_recorded(tmp_path: Path) -> None:
    frame, path = saved_frame(tmp_path)
    file = wrp_reader.read(path.read_bytes())
    assert (file.device, file.arch, file.producer) == (1, 0, "1.19.0")
    assert [name for name, _ in file.bindings] == [
        "heights",
        "heights_prev",
        "mouse_pos",
        "heights_out",
        "heights_prev_out",
    ]
    regions = dict(file.bindings)
    assert file.regions[regions["heights"]] == frame.current.numpy().tobytes()
    assert file.regions[regions["heights_out"]] == file.regions[regions["heights"]]
    assert file.regions[regions["mouse_pos"]] == struct.pack("<2f", 60.0, 40.0)
    assert len(file.modules) == 1
    module = file.modules[0]
    assert len(module["hash"]) == 64
    assert module["digests"] == ("", "", "")
    assert (module["kind"], module["reason"], module["arch"]) == (0, 1, 0)
    assert (path.with_name("wave_modules") / module["file"]).is_file()
    assert {kernel["key"] for kernel in file.kernels} == {"displace", "solve"}
    for kernel in file.kernels:
        assert kernel["forward"].startswith(f"{kernel['key']}_")
        assert kernel["forward"].endswith("_cpu_forward")
        assert (kernel["smem"], kernel["block_dim"]) == (0, 1)


def test_launch_records_are_right_to_the_byte(tmp_path: Path) -> None:
    _, path = saved_frame(tmp_path)
    file = wrp_reader.read(path.read_bytes())
    assert len(file.operations) == 17
    ids = dict(file.bindings)
    for number, launch in enumerate(file.operations):
        assert isinstance(launch, Launch)
        assert (launch.shape, launch.ndim, launch.size, launch.dim) == ((97, 131, 0, 0), 2, 97 * 131, 97 * 131)
        assert launch.config == (0, 0, 0, 0, 1, 1)
        assert launch.hash == file.modules[0]["hash"]
        image = struct.pack("<QQ4i4iHHi", 0, 0, 97, 131, 0, 0, 131 * 4, 4, 0, 0, 2, 0, 0)
        assert launch.values[0] == launch.values[1] == image
        first, second = (relocations[0][1] for relocations in launch.relocations[:2])
        roles = {ids["heights_prev"], ids["heights"]}
        assert {first, second} == roles
        assert launch.relocations[0] == [(0, first, 0, 1), (8, -1, 0, 3)]
        if number > 0:
            assert first == (ids["heights_prev"] if number % 2 else ids["heights"])
            assert launch.values[3] == struct.pack("<f", 10.0)
            assert launch.aligns == [8, 8, 8, 4]


def test_structs_views_and_odd_sizes_survive_the_round_trip(tmp_path: Path) -> None:
    x, y, data = wp.array([1.0, 2.0, 3.0, 4.0]), wp.zeros(4), wp.array([10.0, 20.0, 30.0])
    with wp.ScopedCapture() as capture:
        wp.launch(scaled, 2, inputs=[x[1:], y[2:], Weights(scale=2.0, data=data[1:]), -3, 0.5])
    path = wp.capture_save(capture.graph, tmp_path / "odd.wrp", inputs={"x": x}, outputs={"y": y})
    launch = wrp_reader.read(path.read_bytes()).operations[0]
    assert [len(value) for value in launch.values] == [56, 56, 64, 1, 8]
    assert launch.aligns == [8, 8, 8, 1, 8]
    assert [entry[2] for entry in launch.relocations[0]] == [4, 0]
    assert launch.relocations[2][0][0] == 8
    assert launch.relocations[2][0][2] == 4
    loaded = wp.capture_load(path)
    loaded.set_param("x", np.array([0, 5, 6, 0], np.float32))
    loaded.launch()
    out = np.zeros(4, np.float32)
    loaded.get_param("y", out)
    assert out.tolist() == [0, 0, 5 * 2 + 20 - 3 + 0.5, 6 * 2 + 30 - 3 + 0.5]


def test_conditionals_are_saved_as_branches(tmp_path: Path) -> None:
    counter, steps, x = wp.array([2]), wp.zeros(1, dtype=int), wp.zeros(3, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.capture_while(counter, lambda: wp.launch(count_down, 1, inputs=[counter, steps]))
        wp.capture_if(steps, on_true=lambda: wp.launch(add, 3, inputs=[x, 1]))
    path = wp.capture_save(capture.graph, tmp_path / "branches", outputs={"steps": steps, "x": x})
    operations = wrp_reader.read(path.read_bytes()).operations
    assert [operation[0] for operation in operations] == ["while", "if"]
    assert [len(branch) for branch in operations[0][3:]] == [1, 0]
    loaded = wp.capture_load(path)
    loaded.launch()
    assert np.frombuffer(loaded.view("x"), np.int32).tolist() == [1, 1, 1]
    assert np.frombuffer(loaded.view("steps"), np.int32).tolist() == [2]


@pytest.mark.parametrize("substeps", [16, 15, 1])
@pytest.mark.parametrize("flat", [True, False], ids=["1-D", "2-D"])
def test_loaded_file_replays_bit_for_bit_like_the_live_graph(tmp_path: Path, substeps: int, flat: bool) -> None:
    frame, path = saved_frame(tmp_path, substeps, flat)
    loaded = wp.capture_load(path)
    assert {parameter.name: parameter.size for parameter in loaded.parameters} == {
        "heights": 97 * 131 * 4, "heights_prev": 97 * 131 * 4, "mouse_pos": 8,
        "heights_out": 97 * 131 * 4, "heights_prev_out": 97 * 131 * 4,
    }  # fmt: skip
    assert [parameter.output for parameter in loaded.parameters] == [False, False, False, True, True]
    for step in range(10):
        mouse = np.array([[60 - step, 40 + step]], np.float32)
        frame.mouse.assign(mouse)
        loaded.set_param("mouse_pos", mouse)
        frame.graph.launch()
        loaded.launch()
        out = np.empty((97, 131), np.float32)
        loaded.get_param("heights_out", out)
        assert out.tobytes() == frame.heights().tobytes()


def test_saving_keeps_the_contents_at_the_time_of_the_save(tmp_path: Path) -> None:
    x = wp.array([1, 2])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 2, inputs=[x, 1])
    capture.graph.launch(5)
    path = wp.capture_save(capture.graph, tmp_path / "x", outputs={"x": x})
    assert np.frombuffer(wp.capture_load(path).view("x"), np.int32).tolist() == [6, 7]


def test_parameters_can_be_arrays_of_the_toolkit(tmp_path: Path) -> None:
    x = wp.array([1, 2])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 2, inputs=[x, 1])
    loaded = wp.capture_load(wp.capture_save(capture.graph, tmp_path / "x", inputs={"x": x}))
    loaded.set_param("x", wp.array([10, 20]))
    loaded.launch()
    out = wp.zeros(2, dtype=int)
    loaded.get_param("x", out)
    assert out.numpy().tolist() == [11, 21]
    assert loaded.get_param_ptr("x") != 0


def test_saving_again_replaces_file_and_modules(tmp_path: Path) -> None:
    _, path = saved_frame(tmp_path)
    stray = path.with_name("wave_modules") / "notes.txt"
    stray.write_text("mine")
    x = wp.array([1])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 1, inputs=[x, 1])
    wp.capture_save(capture.graph, path, inputs={"x": x})
    names = sorted(entry.name for entry in path.with_name("wave_modules").iterdir())
    assert len(names) == 2
    assert "notes.txt" in names  # only our own files are cleared away
    assert wp.capture_load(path).params == {"x": {"size": 4}}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["wave.wrp", "wave_modules"]


@pytest.mark.parametrize("moment", [0, 1])
def test_interrupted_save_leaves_the_older_file_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    _, path = saved_frame(tmp_path)
    before = path.read_bytes()
    x = wp.array([1])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 1, inputs=[x, 1])
    calls = 0
    replace = os.replace

    def failing(source: Any, target: Any) -> None:
        nonlocal calls
        if Path(target).parent == tmp_path or Path(target).parent == path.with_name("wave_modules"):
            if calls == moment:
                raise OSError(28, "No space left on device")
            calls += 1
        replace(source, target)

    wp.capture_save(capture.graph, tmp_path / "warm")  # so that only the save itself is interrupted
    monkeypatch.setattr(save.os, "replace", failing)
    with pytest.raises(OSError, match="No space left"):
        wp.capture_save(capture.graph, path, inputs={"x": x})
    monkeypatch.undo()
    assert path.read_bytes() == before
    wp.capture_load(path).launch()
    assert not [entry for entry in tmp_path.rglob(".*")]


# Refusals


def test_nested_capture_is_refused() -> None:
    wp.capture_begin()
    with pytest.raises(wp.CaptureError, match="in progress already"):
        wp.capture_begin()


def test_end_without_begin_is_refused() -> None:
    with pytest.raises(wp.CaptureError, match="no capture is in progress"):
        wp.capture_end()


def test_error_inside_a_capture_drops_it() -> None:
    with pytest.raises(ZeroDivisionError), wp.ScopedCapture():
        1 / 0  # noqa: B018
    assert record.current() is None


def test_host_data_while_recording_is_refused() -> None:
    x = wp.zeros(2)
    wp.capture_begin()
    with pytest.raises(wp.CaptureError, match="before capture_begin"):
        x.assign([1.0, 2.0])
    with pytest.raises(wp.CaptureError, match="before capture_begin"):
        wp.array([1.0, 2.0])


@pytest.mark.parametrize("condition", [3, np.ones(1), "x"])
def test_condition_that_is_no_int32_array_is_refused(condition: Any) -> None:
    with pytest.raises(wp.CaptureError, match="int32 array of one element"):
        wp.capture_if(condition, on_true=lambda: None)
    with pytest.raises(wp.CaptureError, match="int32 array of one element"):
        wp.capture_while(wp.zeros(1), lambda: None)


def simple_graph() -> tuple[wp.Graph, wp.array]:
    x = wp.array([1, 2])
    with wp.ScopedCapture() as capture:
        wp.launch(add, 2, inputs=[x, 1])
    assert capture.graph is not None
    return capture.graph, x


def test_binding_of_a_foreign_array_is_refused(tmp_path: Path) -> None:
    graph, _ = simple_graph()
    with pytest.raises((wp.CaptureError, _native.NativeError)):
        wp.capture_save(graph, tmp_path / "x", inputs={"other": wp.zeros(3)})
    with pytest.raises(wp.CaptureError, match="an array needed, ndarray given"):
        wp.capture_save(graph, tmp_path / "x", inputs={"other": np.zeros(3)})  # type: ignore[dict-item]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("target", ["x86_64_v9", "sm", "ptx_", "gpu", ""])
def test_unknown_target_is_refused(tmp_path: Path, target: str) -> None:
    graph, _ = simple_graph()
    with pytest.raises(wp.CaptureError, match="no such target"):
        wp.capture_save(graph, tmp_path / "x", targets=[target])


def test_several_cpu_targets_stand_beside_each_other(tmp_path: Path) -> None:
    graph, x = simple_graph()
    best = _native.cpu_targets()[0]
    names = list(dict.fromkeys([_native.cpu_targets()[-1], best]))
    path = wp.capture_save(graph, tmp_path / "x", inputs={"x": x}, targets=names)
    files = {entry.name.split(".")[-2] for entry in path.with_name("x_modules").iterdir()}
    assert files == set(names)
    capture = _native.Capture.from_file(str(path))
    assert {entry["target"] for entry in capture.alternatives} == set(names)
    wp.capture_load(path).launch()


def test_cuda_files_are_written_without_a_gpu(tmp_path: Path) -> None:
    pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC isn't installed")
    frame = Frame(97, 131, 16, False, (60.0, 40.0))
    targets = ["sm_90", "ptx", "x86_64"]
    path = wp.capture_save(frame.graph, tmp_path / "cuda", inputs={"heights": frame.current}, targets=targets)
    file = wrp_reader.read(path.read_bytes())
    assert (file.device, file.arch, file.modules[0]["arch"]) == (0, 90, 90)
    assert file.modules[0]["file"].endswith(".sm_90.cubin")
    for kernel in file.kernels:
        assert kernel["forward"].endswith("_cuda_kernel_forward")
        assert (kernel["smem"], kernel["block_dim"]) == (0, 256)
    assert all(launch.config == (0, 256, 0, 0, 1, 1) for launch in file.operations)
    names = {entry.name.split(".", 2)[-1].split(".", 1)[-1] for entry in path.with_name("cuda_modules").iterdir()}
    assert len(names) == 3
    on_cpu = wp.capture_load(path, device="cpu")
    on_cpu.launch(5)
    frame.graph.launch(5)
    assert bytes(on_cpu.view("heights")) == frame.heights().tobytes()


@pytest.mark.parametrize("path", ["", ".", "..", "folder/", ".wrp", "folder/.wrp"])
def test_a_path_that_names_no_file_is_refused(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph, _ = simple_graph()
    with pytest.raises(wp.CaptureError, match="names no capture: give a file name"):
        wp.capture_save(graph, path)
    with pytest.raises(wp.CaptureError, match="names no capture: give a file name"):
        wp.capture_load(path)
    assert not list(tmp_path.iterdir())


def test_saving_a_loaded_graph_is_refused(tmp_path: Path) -> None:
    graph, x = simple_graph()
    loaded = wp.capture_load(wp.capture_save(graph, tmp_path / "x", inputs={"x": x}))
    with pytest.raises(wp.CaptureError, match="loaded from a file"):
        wp.capture_save(loaded, tmp_path / "y")


def test_unknown_parameter_is_refused_by_name(tmp_path: Path) -> None:
    graph, x = simple_graph()
    loaded = wp.capture_load(wp.capture_save(graph, tmp_path / "x", inputs={"x": x}))
    for call in (lambda: loaded.set_param("y", [1]), lambda: loaded.get_param("y", x), lambda: loaded.view("y")):
        with pytest.raises(wp.CaptureError, match=r"'y'\): no such parameter; the graph has x"):
            call()
    with pytest.raises(wp.CaptureError, match="a live graph has none"):
        graph.set_param("x", x)
    with pytest.raises(_native.NativeError):
        loaded.set_param("x", np.zeros(3, np.int32))
    with pytest.raises(_native.NativeError):
        loaded.get_param("x", np.zeros(1, np.int32))


def test_missing_or_broken_files_are_one_line(tmp_path: Path) -> None:
    graph, x = simple_graph()
    path = wp.capture_save(graph, tmp_path / "x", inputs={"x": x})
    whole = path.read_bytes()
    with pytest.raises(_native.NativeError) as missing:
        wp.capture_load(tmp_path / "nowhere")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(_native.NativeError) as cut:
        wp.capture_load(path)
    path.write_bytes(whole)
    for entry in path.with_name("x_modules").iterdir():
        entry.unlink()
    with pytest.raises(_native.NativeError) as bare:
        wp.capture_load(path)
    for caught in (missing, cut, bare):
        assert "\n" not in str(caught.value)
        assert caught.value.code.startswith("WC_ERROR_")
