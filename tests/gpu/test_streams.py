"""Streams and contexts of the caller's, several programs at once, and closing one that is busy."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whitecap import _native

A_TENTH_OF_A_SECOND = 2e8  # clock cycles


def counting(recording, cycles: float = 0.0):
    """A program that counts its launches down in "left"."""
    left, zero = recording.array(1, name="left", dtype="i4"), recording.array(1)
    recording.launch("wait", left, zero, cycles, size=1)
    return recording


def marked(stream: _native.CudaStream | int) -> _native.CudaEvent:
    """An event after everything on a stream so far."""
    event = _native.CudaEvent()
    event.record(stream if isinstance(stream, int) else stream.handle)
    return event


def test_two_programs_on_two_streams_stay_apart_and_nothing_waits(new_recording, program, read):
    programs = [program(counting(new_recording(), A_TENTH_OF_A_SECOND)) for _ in range(2)]
    streams = [_native.CudaStream(), _native.CudaStream()]
    for made, stream in zip(programs, streams, strict=True):
        made.launch(2, stream.handle)
    programs[0].launch(1, streams[0].handle)
    events = [marked(stream) for stream in streams]
    assert [event.done for event in events] == [False, False]
    for event in events:
        event.synchronize()
    assert [read(made, "left", "i4")[0] for made in programs] == [-3, -2]


def test_closing_a_busy_program_waits_for_it(new_recording, program):
    made = program(counting(new_recording(), A_TENTH_OF_A_SECOND))
    made.launch(2)
    event = marked(made.stream)
    assert not event.done
    del made
    assert event.done
    other = program(counting(new_recording()))
    other.launch()
    other.synchronize()  # the context is whole


def test_closing_waits_for_a_stream_of_the_callers(new_recording, program):
    stream = _native.CudaStream()
    made = program(counting(new_recording(), A_TENTH_OF_A_SECOND))
    made.launch(3, stream.handle)
    event = marked(stream)
    del made
    assert event.done


def test_no_call_of_one_program_waits_for_another(new_recording, program):
    busy = program(counting(new_recording(), 10 * A_TENTH_OF_A_SECOND))
    idle = program(counting(new_recording()))
    busy.launch()
    event = marked(busy.stream)
    out = np.empty(1, np.int32)
    for step, arguments in (
        (idle.set_parameter, ("left", np.full(1, 5, np.int32))),
        (idle.launch, ()),
        (idle.get_parameter, ("left", out)),
        (idle.synchronize, ()),
    ):
        step(*arguments)
        assert not event.done, f"{step.__name__} waited for the busy program"
    assert out[0] == 4
    del idle, step
    assert not event.done, "closing the idle program waited for the busy one"
    event.synchronize()


def test_launches_join_a_capture_of_the_callers(new_recording, program, read):
    driver = pytest.importorskip("cuda.bindings.driver")
    made = program(counting(new_recording()))
    stream = _native.CudaStream()
    with made_current(made, driver):
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        done(driver.cuStreamBeginCapture(stream.handle, mode))
        made.launch(2, stream.handle)
        graph = done(driver.cuStreamEndCapture(stream.handle))
        executable = done(driver.cuGraphInstantiate(graph, 0))
        assert read(made, "left", "i4")[0] == 0
        for _ in range(3):
            done(driver.cuGraphLaunch(executable, stream.handle))
        stream.synchronize()
        done(driver.cuGraphExecDestroy(executable))
        done(driver.cuGraphDestroy(graph))
    assert read(made, "left", "i4")[0] == -6


@pytest.mark.parametrize("conditional", [False, True])
def test_a_program_is_part_of_a_graph_of_the_callers(new_recording, program, read, conditional):
    driver = pytest.importorskip("cuda.bindings.driver")
    recording = counting(new_recording())
    if conditional:
        flag = recording.array(1, dtype="i4")
        flag[0] = 1
        out = recording.array(1, name="out", output=True)
        recording.branch(lambda: recording.launch("add", out, out, 1.0))
        recording.recorder.conditional(flag.ctypes.data, False, 1)
    made = program(recording)
    stream = _native.CudaStream()
    with made_current(made, driver):
        graph = done(driver.cuGraphCreate(0))
        first = made.add_to_graph(int(graph))
        made.add_to_graph(int(graph), [first])
        executable = done(driver.cuGraphInstantiate(graph, 0))
        done(driver.cuGraphLaunch(executable, stream.handle))
        stream.synchronize()
        done(driver.cuGraphExecDestroy(executable))
        done(driver.cuGraphDestroy(graph))
    assert read(made, "left", "i4")[0] == -2
    if conditional:
        assert read(made, "out")[0] == 3  # 0 + 0 + 1, then 1 + 1 + 1


@pytest.mark.parametrize("package", ["cupy", "torch"])
def test_a_context_made_by_another_package_is_shared(package: str, tmp_path: Path):
    """In a process of its own, where that package is first."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    theirs = {
        "cupy": "theirs = cupy.arange(8, dtype='f4'); address = theirs.data.ptr; out = lambda: theirs.get()",
        "torch": "theirs = torch.arange(8, dtype=torch.float32, device='cuda'); "
        "address = theirs.data_ptr(); out = lambda: theirs.cpu().numpy()",
    }
    code = f"""
import {package}
{theirs[package]}
import numpy as np
from whitecap import capture as wc, _native
@wc.kernel
def twice(a: wc.array(dtype=wc.float32)):
    i = wc.tid()
    a[i] = a[i] * 2.0
ours = wc.zeros(8, dtype=wc.float32, device="cuda")
_native.cuda_copy(ours.ptr, address, 32)
with wc.ScopedCapture(device="cuda") as capture:
    wc.launch(twice, dim=8, inputs=[ours])
wc.capture_launch(capture.graph)
_native.cuda_copy(address, ours.ptr, 32)
assert list(out()) == [0, 2, 4, 6, 8, 10, 12, 14], out()
"""
    script = tmp_path / "script.py"  # kernels are read from their file
    script.write_text(code)
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def done(returned):
    """The value of a call of cuda.bindings, checked."""
    error, *values = returned
    assert int(error) == 0, error
    return values[0] if values else None


class made_current:
    """The program's context, current for a block."""

    def __init__(self, program, driver) -> None:
        self._context, self._driver = driver.CUcontext(program.context), driver

    def __enter__(self) -> None:
        done(self._driver.cuCtxPushCurrent(self._context))

    def __exit__(self, *_: object) -> None:
        done(self._driver.cuCtxPopCurrent())
