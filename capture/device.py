"""Devices: where arrays live and launches run. `get_device("cpu")`, `get_device("cuda:0")`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .errors import CaptureError

if TYPE_CHECKING:
    from .kernel import Kernel


@dataclass(frozen=True, eq=False)
class Allocation:
    """Memory of a device, freed when `owner` goes."""

    pointer: int
    size: int  # bytes
    owner: object


class Device(ABC):
    """One device. Pointers are plain integers; sizes are bytes; kernels' arguments are _native.Argument objects."""

    name: str
    ordinal = 0

    @property
    def alias(self) -> str:
        return self.name

    @property
    def is_cpu(self) -> bool:
        return self.name == "cpu"

    @property
    def is_cuda(self) -> bool:
        return not self.is_cpu

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<device {self.name}>"

    @abstractmethod
    def allocate(self, size: int) -> Allocation:
        """Zeroed memory, aligned for anything."""

    @abstractmethod
    def upload(self, pointer: int, data: np.ndarray[Any, Any]) -> None:
        """Contiguous host data to the device; done on return."""

    @abstractmethod
    def download(self, pointer: int, size: int) -> np.ndarray[Any, Any]:
        """Bytes (uint8) of the device on the host: a view where memory is shared, else a copy."""

    @abstractmethod
    def copy(self, dst: int, src: int, size: int) -> None: ...

    @abstractmethod
    def fill(self, dst: int, value: bytes, count: int) -> None:
        """`count` copies of `value`, back to back."""

    @abstractmethod
    def launch(self, kernel: Kernel, shape: Sequence[int], arguments: Sequence[Any], size: int) -> None: ...

    @abstractmethod
    def synchronize(self) -> None: ...


DeviceLike: TypeAlias = Device | str | None

_devices: dict[str, Device] = {}
_default = "cpu"


def get_device(device: DeviceLike = None) -> Device:
    """One of "cpu", "cuda" and "cuda:N"; None: the default device. CaptureError when there is no such device."""
    if isinstance(device, Device):
        return device
    name = _default if device is None else "cuda:0" if device == "cuda" else str(device)
    if name not in _devices:
        _devices[name] = _open(name)
    return _devices[name]


def set_device(device: DeviceLike) -> None:
    """The device of arrays and launches that name none; "cpu" until this is called."""
    global _default
    _default = get_device(device).name


class ScopedDevice:
    """`with ScopedDevice("cuda"): ...`: another default device for a while."""

    def __init__(self, device: DeviceLike) -> None:
        self.device = get_device(device)

    def __enter__(self) -> Device:
        self._before = get_device()
        set_device(self.device)
        return self.device

    def __exit__(self, *_: object) -> None:
        set_device(self._before)


def is_cuda_available() -> bool:
    """Whether a GPU and its driver can be used."""
    from .cuda_device import cuda_problem

    return cuda_problem() is None


def open_devices() -> list[Device]:
    """Every device that has been used in this process."""
    return list(_devices.values())


def _open(name: str) -> Device:
    if name == "cpu":
        from .cpu_device import CpuDevice

        return CpuDevice()
    kind, _, ordinal = name.partition(":")
    if kind != "cuda" or not ordinal.isdigit():
        raise CaptureError(f'no such device: {name!r}; use "cpu", "cuda" or "cuda:N"')
    from .cuda_device import CudaDevice

    return CudaDevice(int(ordinal))
