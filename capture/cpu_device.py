"""The CPU as a device: NumPy owns the memory, the native library's thread pool runs the launches."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import binaries, verify
from .device import Allocation, Device

if TYPE_CHECKING:
    from .kernel import Kernel

ALIGNMENT = 64  # a cache line, and the widest vector


class CpuDevice(Device):
    name = "cpu"

    def allocate(self, size: int) -> Allocation:
        buffer = np.zeros(size + ALIGNMENT, np.uint8)
        address = buffer.ctypes.data
        return Allocation(address + -address % ALIGNMENT, size, buffer)

    def upload(self, pointer: int, data: np.ndarray[Any, Any]) -> None:
        ctypes.memmove(pointer, data.ctypes.data, data.nbytes)

    def download(self, pointer: int, size: int) -> np.ndarray[Any, Any]:
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(pointer))

    def copy(self, dst: int, src: int, size: int) -> None:
        ctypes.memmove(dst, src, size)

    def fill(self, dst: int, value: bytes, count: int) -> None:
        if len(set(value)) == 1:
            ctypes.memset(dst, value[0], len(value) * count)
            return
        target = self.download(dst, len(value) * count).reshape(count, len(value))
        target[:] = np.frombuffer(value, np.uint8)

    def launch(self, kernel: Kernel, shape: Sequence[int], arguments: Sequence[Any], size: int) -> None:
        text = kernel.module.text()
        verify.prepare(text)
        module = binaries.cpu_module(text)
        module.launch(kernel.base_symbol, list(shape), list(arguments), size)
        verify.raise_fault()

    def synchronize(self) -> None:
        """Launches on the CPU are done when they return."""
