"""Recording: between capture_begin() and capture_end() launches, copies and fills are written down instead of run."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _native
from .device import Device
from .errors import CaptureError
from .module import ModuleText

if TYPE_CHECKING:
    from .arrays import array
    from .kernel import Kernel


class Recording:
    """One capture under construction: the native recorder, and what must stay alive as long as its graph."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.recorder = _native.Recorder()
        self.modules: dict[str, ModuleText] = {}  # by hash

    def add_region(self, value: array) -> None:
        """The whole memory behind an array."""
        allocation = value.allocation
        self.recorder.region(allocation.pointer, allocation.size, 1, allocation.owner)

    def launch(self, kernel: Kernel, shape: Sequence[int], arguments: Sequence[Any], size: int) -> None:
        text = kernel.module.text()
        if text.hash not in self.modules:
            self.recorder.module(text.hash, text.name)
            self.modules[text.hash] = text
        self.recorder.kernel(kernel.key, text.hash, kernel.base_symbol)
        self.recorder.launch(kernel.key, text.hash, list(shape), list(arguments), size)


class _State(threading.local):
    """Each thread records for itself: launches of other threads run as always."""

    recording: Recording | None = None


_state = _State()


def current() -> Recording | None:
    """This thread's recording in progress."""
    return _state.recording


def begin(device: Device) -> None:
    if _state.recording is not None:
        raise CaptureError("capture_begin(): a capture is in progress already; end it with capture_end()")
    _state.recording = Recording(device)


def end() -> Recording:
    recording, _state.recording = _state.recording, None
    if recording is None:
        raise CaptureError("capture_end(): no capture is in progress; start one with capture_begin()")
    return recording


def abandon() -> None:
    """Drops the recording in progress, after an error."""
    _state.recording = None


def refuse_while_recording(what: str, remedy: str) -> None:
    if _state.recording is not None:
        raise CaptureError(f"{what} can't be recorded: {remedy}")


def _check_device(recording: Recording, device: Device) -> None:
    if device is not recording.device:
        raise CaptureError(f"an array on {device} in a capture on {recording.device}: keep everything on one device")


def fill(target: array, value: bytes, count: int) -> None:
    """Fills now, or records it."""
    recording = _state.recording
    if recording is None:
        target.device.fill(target.ptr, value, count)
        return
    _check_device(recording, target.device)
    recording.add_region(target)
    if len(set(value)) == 1:
        recording.recorder.memset(target.ptr, value[0], len(value) * count)
    else:
        recording.recorder.tile(target.ptr, value, count)


def copy_bytes(dest: array, dest_offset: int, src: array, src_offset: int, size: int) -> None:
    """Copies now, or records it. Offsets and size in bytes."""
    recording = _state.recording
    if recording is not None:
        for part in (dest, src):
            _check_device(recording, part.device)
            recording.add_region(part)
        recording.recorder.copy(dest.ptr + dest_offset, src.ptr + src_offset, size)
    elif dest.device is src.device:
        dest.device.copy(dest.ptr + dest_offset, src.ptr + src_offset, size)
    else:
        dest.device.upload(dest.ptr + dest_offset, src.device.download(src.ptr + src_offset, size))
