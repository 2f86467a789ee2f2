"""Graphs: captured programs, live (replayed in place on their arrays) or loaded from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np

from .. import _native
from . import binaries, record, verify
from .arrays import array
from .device import Device, DeviceLike, get_device, open_devices
from .errors import CaptureError
from .module import ModuleText
from .scalars import int32


@dataclass(frozen=True)
class Parameter:
    """A named region of a loaded graph."""

    name: str
    size: int  # bytes
    output: bool


class Graph:
    """A captured program. `launch()` replays it; state stays in its memory from launch to launch."""

    def __init__(
        self, device: Device, capture: Any, modules: dict[str, ModuleText], path: Path | None = None, threads: int = 0
    ) -> None:
        self.device = device
        self.capture = capture  # _native.Capture
        self.path = path
        self.modules = modules  # live graphs: texts by hash
        self._threads = threads
        self._program: Any = None

    @property
    def is_live(self) -> bool:
        """Whether it was recorded in this process, and works on the arrays of the program."""
        return self.path is None

    @property
    def program(self) -> Any:
        """The capture made runnable (_native.Program); compiles what isn't compiled yet."""
        if self._program is None:
            self._program = self._make_program()
        return self._program

    def _make_program(self) -> Any:
        kind: Literal["cpu", "cuda"] = "cpu" if self.device.is_cpu else "cuda"
        if self.path is not None:
            folder = self.path.with_suffix("").with_name(f"{self.path.stem}_modules")
            return _native.Program(self.capture, str(folder), kind, self._threads, self.device.ordinal)
        for text in self.modules.values():
            verify.prepare(text)
        built = [binaries.build_for(text, self.device) for text in self.modules.values()]
        capture = self.capture
        if not self.device.is_cpu:
            capture = capture.retargeted(
                "cuda", built[0].target.arch if built else int(getattr(self.device, "arch", 0))
            )
        files = {binary.filename: binary.content for binary in built}
        capture = capture.with_modules([binary.record() for binary in built])
        return _native.Program(capture, files, kind, self._threads, self.device.ordinal)

    @property
    def parameters(self) -> list[Parameter]:
        """Inputs, then outputs."""
        return [Parameter(entry["name"], entry["size"], entry["output"]) for entry in self.capture.bindings]

    @property
    def params(self) -> dict[str, dict[str, int]]:
        """As in Warp: {"size": bytes} by name."""
        return {parameter.name: {"size": parameter.size} for parameter in self.parameters}

    @property
    def operations(self) -> list[dict[str, Any]]:
        """What a launch does, in order: kind, and for launches kernel, shape and arguments."""
        operations: list[dict[str, Any]] = self.capture.operations
        return operations

    @property
    def launch_count(self) -> int:
        """Kernel launches in one replay (each branch once)."""
        return int(self.capture.launch_count)

    def launch(self, count: int = 1, stream: int = 0) -> None:
        """Replays `count` times. On CUDA asynchronous, on `stream` (a CUstream as an integer; 0: the graph's own)."""
        self.program.launch(count, stream)
        verify.raise_fault()

    def synchronize(self) -> None:
        self.program.synchronize()

    def set_param(self, name: str, value: Any) -> None:
        """Whole-region copy from an array or any contiguous buffer of exactly the parameter's size."""
        self._check(name, "set_param")
        data = value.numpy() if isinstance(value, array) else value
        self.program.set_parameter(name, np.ascontiguousarray(data) if isinstance(data, np.ndarray) else data)

    def get_param(self, name: str, out: Any) -> None:
        """Whole-region copy into an array or a writable contiguous buffer of exactly the parameter's size."""
        self._check(name, "get_param")
        if not isinstance(out, array):
            self.program.get_parameter(name, out)
        elif out.device.is_cpu and out.is_contiguous:
            self.program.get_parameter(name, out.numpy())
        else:
            host = np.empty(out.nbytes, np.uint8)
            self.program.get_parameter(name, host)
            out.assign(host.view(out.dtype.numpy_dtype().base))

    def get_param_ptr(self, name: str) -> int:
        """Address of the parameter's memory, on the graph's device."""
        self._check(name, "get_param_ptr")
        return int(self.program.parameter_pointer(name))

    def view(self, name: str) -> memoryview:
        """The parameter's memory itself as writable bytes (CPU graphs)."""
        self._check(name, "view")
        view: memoryview = self.program.view(name)
        return view

    def _check(self, name: str, who: str) -> None:
        if name not in self.params:
            known = ", ".join(self.params) or "none"
            hint = " (a live graph has none: work on its arrays)" if self.is_live else ""
            raise CaptureError(f"{who}({name!r}): no such parameter; the graph has {known}{hint}")

    def __repr__(self) -> str:
        kind = "live" if self.is_live else str(self.path)
        return f"<graph {kind} on {self.device}, {self.launch_count} launches>"


def capture_begin(
    device: DeviceLike = None,
    stream: Any = None,
    force_module_load: Any = None,
    external: bool = False,
    apic: bool = True,
) -> None:
    """Starts recording: until capture_end() launches, copies and fills are written down, and nothing runs.

    stream, force_module_load, external and apic are accepted for Warp scripts; every capture here can be saved.
    """
    record.begin(get_device(device))


def capture_end(device: DeviceLike = None, stream: Any = None) -> Graph:
    """Ends recording and returns the graph."""
    recording = record.end()
    if device is not None and get_device(device) is not recording.device:
        raise CaptureError(f"capture_end(device={device!r}): the capture was on {recording.device}")
    return Graph(recording.device, recording.recorder.finish(), recording.modules)


class ScopedCapture:
    """`with ScopedCapture() as capture: ...`, then `capture.graph`. An exception inside drops the capture."""

    graph: Graph
    """What was recorded, once the block has ended without an exception."""

    def __init__(self, device: DeviceLike = None, apic: bool = True, **_: Any) -> None:
        self.device = device

    def __enter__(self) -> ScopedCapture:
        capture_begin(self.device)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.graph = capture_end(self.device)
        else:
            record.abandon()


def capture_launch(graph: Graph, stream: Any = None) -> None:
    """One replay."""
    graph.launch(1, int(getattr(stream, "cuda_stream", stream) or 0))


def capture_if(
    condition: array,
    on_true: Callable[..., Any] | None = None,
    on_false: Callable[..., Any] | None = None,
    **arguments: Any,
) -> None:
    """Runs or records `on_true(**arguments)` when condition[0] (int32) isn't 0 at that moment, else `on_false(...)`."""
    _check_condition("capture_if", condition)
    recording = record.current()
    if recording is None:
        branch = on_true if _value(condition) else on_false
        if branch is not None:
            branch(**arguments)
        return
    if on_true is None and on_false is None:
        return
    recording.add_region(condition)
    branches = [on_true] if on_false is None else [on_true, on_false]
    for branch in branches:
        with _branch(recording):
            if branch is not None:
                branch(**arguments)
    recording.recorder.conditional(condition.ptr, False, len(branches))


def capture_while(condition: array, while_body: Callable[..., Any], **arguments: Any) -> None:
    """Repeats `while_body(**arguments)` as long as condition[0] (int32) isn't 0; the body changes the condition."""
    _check_condition("capture_while", condition)
    recording = record.current()
    if recording is None:
        while _value(condition):
            while_body(**arguments)
        return
    recording.add_region(condition)
    with _branch(recording):
        while_body(**arguments)
    recording.recorder.conditional(condition.ptr, True, 1)


@contextmanager
def _branch(recording: record.Recording) -> Iterator[None]:
    recording.recorder.begin_branch()
    yield
    recording.recorder.end_branch()


def _check_condition(who: str, condition: Any) -> None:
    if not isinstance(condition, array) or condition.dtype is not int32 or condition.size < 1:
        given = repr(condition) if isinstance(condition, array) else type(condition).__name__
        raise CaptureError(f"{who}(): the condition is an int32 array of one element, {given} given")


def _value(condition: array) -> bool:
    condition.device.synchronize()
    return bool(condition.numpy().reshape(-1)[0])


def synchronize() -> None:
    """Waits for everything that runs on any device in use."""
    for device in open_devices():
        device.synchronize()
