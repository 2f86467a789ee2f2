"""An NVIDIA GPU as a device: memory, copies and launches on the default stream, where CuPy and PyTorch work too.

Nothing here needs a toolkit except launching a kernel that isn't compiled yet. The driver is loaded when a device is
first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from . import binaries
from .device import Allocation, Device
from .errors import CaptureError

if TYPE_CHECKING:
    from .kernel import Kernel


def cuda_devices() -> list[dict[str, Any]]:
    """ordinal, name, arch (90 for sm_90), memory (bytes) and multiprocessors of every GPU.

    Raises NativeError (WC_ERROR_DEVICE) without a usable driver.
    """
    return list(_native.cuda_devices())


def cuda_problem() -> str | None:
    """Why CUDA can't be used here, in one line; None when it can."""
    try:
        cuda_devices()
    except _native.NativeError as error:
        return str(error)
    return None


class CudaDevice(Device):
    """One GPU. Failures raise NativeError; CaptureError when there is no such device."""

    def __init__(self, ordinal: int) -> None:
        try:
            devices = cuda_devices()
        except _native.NativeError as error:
            raise CaptureError(str(error)) from error
        if ordinal >= len(devices):
            names = ", ".join(f"cuda:{device['ordinal']} ({device['name']})" for device in devices)
            raise CaptureError(f'no such device: "cuda:{ordinal}"; this machine has {names}')
        self.ordinal = ordinal
        self.name = f"cuda:{ordinal}"
        self.product: str = devices[ordinal]["name"]
        self.arch: int = devices[ordinal]["arch"]
        self._modules: dict[str, _native.CudaModule] = {}

    def allocate(self, size: int) -> Allocation:
        memory = _Memory(size, self.ordinal)
        _native.cuda_fill(memory.pointer, b"\0", size, self.ordinal)
        return Allocation(memory.pointer, size, memory)

    def upload(self, pointer: int, data: np.ndarray[Any, Any]) -> None:
        _native.cuda_upload(pointer, data, self.ordinal)

    def download(self, pointer: int, size: int) -> np.ndarray[Any, Any]:
        out = np.empty(size, np.uint8)
        _native.cuda_download(out, pointer, self.ordinal)
        return out

    def copy(self, dst: int, src: int, size: int) -> None:
        _native.cuda_copy(dst, src, size, self.ordinal)

    def fill(self, dst: int, value: bytes, count: int) -> None:
        _native.cuda_fill(dst, value, count, self.ordinal)

    def launch(self, kernel: Kernel, shape: Sequence[int], arguments: Sequence[Any], size: int) -> None:
        self._module(kernel).launch(kernel.base_symbol, list(shape), list(arguments), size)

    def synchronize(self) -> None:
        _native.cuda_synchronize(self.ordinal)

    def memory_info(self) -> tuple[int, int]:
        """Free and total bytes."""
        return _native.cuda_memory_info(self.ordinal)

    def _module(self, kernel: Kernel) -> _native.CudaModule:
        text = kernel.module.text()
        if text.hash not in self._modules:
            image = binaries.cuda_binary(text, _best_target(self.arch))
            self._modules[text.hash] = _native.CudaModule(image, self.ordinal)
        return self._modules[text.hash]


@lru_cache
def _best_target(arch: int) -> str:
    from .cuda_compile import targets_for_device

    return targets_for_device(arch)[0]


class _Memory:
    """Device memory that goes with the object."""

    def __init__(self, size: int, ordinal: int) -> None:
        self.pointer = _native.cuda_allocate(size, ordinal)
        self._ordinal = ordinal

    def __del__(self) -> None:
        if pointer := getattr(self, "pointer", 0):
            _native.cuda_free(pointer, self._ordinal)
