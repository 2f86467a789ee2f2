"""Launch arguments: from Python values to the byte images that kernels get."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import _native
from . import record
from .arrays import array
from .device import Device
from .dtypes import ARRAY_SIZE, ArrayType, Type, short_name
from .errors import CaptureError
from .kernel import Kernel
from .scalars import Scalar
from .structs import StructType, StructValue

MAX_STRIDE = 2**31 - 1
_ARRAY = struct.Struct("<QQ4i4iHHi")  # data, grad, shape, strides (bytes), ndim, flags, padding
_CODES = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
_SCALARS: dict[str, Callable[..., bytes]] = {name: struct.Struct(f"<{code}").pack for name, code in _CODES.items()}

Pointers = list[tuple[int, int]]  # offset in the image, address


class ArgumentPacker:
    """Packs the arguments of one kernel; made once, used by every launch of it."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.parameters = [
            (p.name, p.type, p.type.alignment, kernel.access.get(p.name, "unknown")) for p in kernel.form.parameters
        ]

    def pack(self, values: Sequence[Any], device: Device, recording: record.Recording | None) -> list[_native.Argument]:
        """One Argument per parameter. CaptureError, naming the parameter, for a value that doesn't fit."""
        arguments = []
        for (name, type, alignment, access), value in zip(self.parameters, values):
            pointers: Pointers = []
            image = self.image(name, type, value, 0, pointers, device, recording)
            arguments.append(_native.Argument(image, alignment, pointers, access))
        return arguments

    def image(
        self, name: str, type: Type, value: Any, offset: int, pointers: Pointers,
        device: Device, recording: record.Recording | None = None,
    ) -> bytes:  # fmt: skip
        """The bytes of one value; `pointers` gets where addresses belong, at `offset` + their place in it."""
        if isinstance(type, Scalar):
            return self._scalar(name, type, value)
        if isinstance(type, ArrayType):
            pointers += [(offset, value.ptr if isinstance(value, array) else 0), (offset + 8, 0)]
            return self._array(name, type, value, device, recording)
        if isinstance(type, StructType):
            return self._struct(name, type, value, offset, pointers, device, recording)
        try:
            result: bytes = np.asarray(type(*value) if np.ndim(value) == 1 else type(value)).tobytes()
        except (TypeError, ValueError):
            self._fail(name, type, value)
        return result

    def _fail(self, name: str, type: Type, value: Any, what: str = "") -> NoReturn:
        given = what or f"{_description(value)} given"
        raise CaptureError(f"launch of {self.kernel.key}, argument `{name}`: {short_name(type)} needed, {given}")

    def _scalar(self, name: str, type: Scalar, value: Any) -> bytes:
        if isinstance(value, bool | np.bool_):
            fits = not type.is_float
        elif isinstance(value, int | np.integer):
            fits = type.kind != "b"
        else:
            fits = type.is_float and isinstance(value, float | np.floating)
        if not fits:
            self._fail(name, type, value)
        try:
            return _SCALARS[type.name](value)
        except OverflowError:  # a float beyond float32
            with np.errstate(over="ignore"):
                return bytes(np.float32(value).tobytes())
        except struct.error:
            limits = np.iinfo(type.numpy_dtype())
            self._fail(name, type, value, f"{value} given; it holds {limits.min} to {limits.max}")

    def _array(
        self, name: str, type: ArrayType, value: Any, device: Device, recording: record.Recording | None
    ) -> bytes:
        if value is None:
            return _ARRAY.pack(0, 0, *[0] * 8, type.ndim, 0, 0)
        if not isinstance(value, array) or value.dtype != type.dtype or value.ndim != type.ndim:
            self._fail(name, type, value)
        if value.device is not device:
            self._fail(name, type, value, f"an array on {value.device} given for a launch on {device}")
        if max(value.strides) > MAX_STRIDE:
            self._fail(name, type, value, f"the strides {value.strides} are beyond {MAX_STRIDE} bytes")
        if recording is not None:
            recording.add_region(value)
        rest = (0,) * (4 - value.ndim)
        return _ARRAY.pack(0, 0, *value.shape, *rest, *value.strides, *rest, value.ndim, 0, 0)

    def _struct(
        self, name: str, type: StructType, value: Any, offset: int, pointers: Pointers,
        device: Device, recording: record.Recording | None,
    ) -> bytes:  # fmt: skip
        if not isinstance(value, StructValue) or value.type != type:
            self._fail(name, type, value)
        image = bytearray(type.size)
        for field in type.fields:
            place = offset + field.offset
            inner = getattr(value, field.name)
            part = self.image(f"{name}.{field.name}", field.type, inner, place, pointers, device, recording)
            image[field.offset : field.offset + len(part)] = part
        return bytes(image)


assert _ARRAY.size == ARRAY_SIZE


def _description(value: Any) -> str:
    if isinstance(value, array):
        return repr(value)
    if isinstance(value, StructValue):
        return f"a {value.type.name}"
    return f"{type(value).__name__} {value!r}"[:80]
