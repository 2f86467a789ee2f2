"""CUDA devices as arrays see them: memory by address, copies, and launches that run at once.

Everything is ordered on the default stream, as CuPy's and PyTorch's work is. Nothing here needs a toolkit; the driver is
loaded when a device is first asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .. import _native

_ALIAS = re.compile(r"cuda(?::(?P<ordinal>\d+))?")


@dataclass(frozen=True)
class CudaDevice:
    """One GPU. Addresses are integers, sizes are bytes; failures raise NativeError."""

    ordinal: int
    name: str
    arch: int  # 10 * major + minor of the compute capability
    memory: int
    multiprocessors: int

    @property
    def alias(self) -> str:
        """ "cuda:0" """
        return f"cuda:{self.ordinal}"

    def allocate(self, size: int) -> int:
        """Address of `size` uninitialised bytes, aligned to 256 at least."""
        return _native.cuda_allocate(size, self.ordinal)

    def free(self, pointer: int) -> None:
        """Gives back what allocate() returned. Waits for work that uses it."""
        _native.cuda_free(pointer, self.ordinal)

    def upload(self, pointer: int, data: Any) -> None:
        """Copies a contiguous host buffer to device memory and waits for it."""
        _native.cuda_upload(pointer, data, self.ordinal)

    def download(self, out: Any, pointer: int) -> None:
        """Fills a contiguous, writable host buffer from device memory, after all launches before."""
        _native.cuda_download(out, pointer, self.ordinal)

    def copy(self, dst: int, src: int, size: int) -> None:
        """Device to device, without waiting."""
        _native.cuda_copy(dst, src, size, self.ordinal)

    def fill(self, pointer: int, value: int, size: int) -> None:
        """Sets `size` bytes to one byte value, without waiting."""
        _native.cuda_fill(pointer, value, size, self.ordinal)

    def synchronize(self) -> None:
        """Waits for everything on the default stream."""
        _native.cuda_synchronize(self.ordinal)

    def module(self, image: bytes) -> _native.CudaModule:
        """Loads a cubin or PTX for immediate launches."""
        return _native.CudaModule(image, self.ordinal)

    def memory_info(self) -> tuple[int, int]:
        """Free and total bytes."""
        return _native.cuda_memory_info(self.ordinal)


@lru_cache(maxsize=1)
def cuda_devices() -> tuple[CudaDevice, ...]:
    """Every GPU of this machine. Raises NativeError (WC_ERROR_DEVICE) without a usable driver."""
    return tuple(CudaDevice(**entry) for entry in _native.cuda_devices())


def cuda_device(alias: str = "cuda") -> CudaDevice:
    """The device behind "cuda" (the first one) or "cuda:1".

    Raises NativeError without a usable driver, ValueError for anything else than these names or no such device.
    """
    match = _ALIAS.fullmatch(alias)
    if match is None:
        raise ValueError(f'device {alias!r} given; use "cpu", "cuda" or "cuda:<number>"')
    devices = cuda_devices()
    ordinal = int(match["ordinal"] or 0)
    if ordinal >= len(devices):
        names = ", ".join(f"{device.alias} ({device.name})" for device in devices)
        raise ValueError(f"device {alias!r} given; this machine has {names}")
    return devices[ordinal]


def cuda_problem() -> str | None:
    """Why CUDA can't be used here, in one line; None when it can."""
    try:
        cuda_devices()
    except _native.NativeError as error:
        return str(error)
    return None
