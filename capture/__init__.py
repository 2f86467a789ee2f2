"""The toolkit: typed Python kernels, captured once, replayed without Python.

Written as `import whitecap.capture as wp`. Names follow NVIDIA Warp where Warp has the thing, so that a Warp script of
this subset runs after changing its import line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from .array_functions import (
    array1d,
    array2d,
    array3d,
    array4d,
    clone,
    copy,
    empty,
    empty_like,
    from_numpy,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from .arrays import array
from .config import config
from .device import Device, ScopedDevice, get_device, is_cuda_available, set_device
from .errors import CaptureError, KernelError, Location
from .graph import (
    Graph,
    Parameter,
    ScopedCapture,
    capture_begin,
    capture_end,
    capture_if,
    capture_launch,
    capture_while,
    synchronize,
)
from .intrinsics import INTRINSICS, SPECIALS
from .kernel import Function, Kernel, func, kernel
from .launch import launch
from .save import capture_load, capture_save
from .scalars import (
    bool,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .structs import StructType, StructValue, struct
from .vectors import MATRICES, VECTORS, mat22, mat33, mat44, vec2, vec3, vec4

__version__ = _native.__version__

globals().update(VECTORS)
globals().update(MATRICES)
globals().update(INTRINSICS)
globals().update(SPECIALS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Type checkers can't see the names that come from tables."""


def init() -> None:
    """Nothing to do; Warp scripts call it."""


def constant(value: Any) -> Any:
    """A constant for kernels: returns its argument. Plain Python numbers around a kernel work as well."""
    return value


def synchronize_device(device: Any = None) -> None:
    """Waits for one device."""
    get_device(device).synchronize()


def get_cuda_device(ordinal: int = 0) -> Device:
    return get_device(f"cuda:{ordinal}")


__all__ = [
    "CaptureError",
    "Device",
    "Function",
    "Graph",
    "Kernel",
    "KernelError",
    "Location",
    "Parameter",
    "ScopedCapture",
    "ScopedDevice",
    "StructType",
    "StructValue",
    "array",
    "array1d",
    "array2d",
    "array3d",
    "array4d",
    "bool",
    "capture_begin",
    "capture_end",
    "capture_if",
    "capture_launch",
    "capture_load",
    "capture_save",
    "capture_while",
    "clone",
    "config",
    "constant",
    "copy",
    "empty",
    "empty_like",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "full_like",
    "func",
    "get_cuda_device",
    "get_device",
    "init",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_cuda_available",
    "kernel",
    "launch",
    "mat22",
    "mat33",
    "mat44",
    "ones",
    "ones_like",
    "set_device",
    "struct",
    "synchronize",
    "synchronize_device",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "vec2",
    "vec3",
    "vec4",
    "zeros",
    "zeros_like",
]
__all__ += [*VECTORS, *MATRICES, *INTRINSICS, *SPECIALS]
