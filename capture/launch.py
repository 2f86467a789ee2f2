"""`launch(kernel, dim, inputs=[...])`: checks and packs arguments, then runs the kernel or records it."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import record
from .arrays import array
from .device import Device, DeviceLike, get_device
from .dtypes import ARRAY_SIZE, ArrayType, Type, short_name
from .errors import CaptureError
from .kernel import Kernel
from .scalars import Scalar
from .structs import StructType, StructValue

MAX_EXTENT = 2**31 - 1


def launch(
    kernel: Kernel,
    dim: int | Sequence[int],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    device: DeviceLike = None,
    block_dim: int = 256,
    record_tape: bool = False,
) -> None:
    """Runs a kernel over `dim` threads (an extent, or up to 4 of them; the last is the fastest), or records it.

    inputs, outputs: arguments in the order of the kernel's parameters. None stands for an array that isn't there.
    device: that of the arrays when it isn't given. block_dim and record_tape are accepted for Warp scripts.
    CaptureError: arguments that don't fit; KernelError: a kernel that the language has no meaning for.
    """
    if not isinstance(kernel, Kernel):
        raise CaptureError(f"launch() of {type(kernel).__name__}: give a function decorated with @kernel")
    form = kernel.form
    values = [*inputs, *outputs]
    if len(values) != len(form.parameters):
        names = ", ".join(parameter.name for parameter in form.parameters)
        raise CaptureError(
            f"launch of {kernel.key}: {len(values)} arguments given, {len(form.parameters)} needed ({names})"
        )
    shape, size = _shape(kernel, dim, form.rank)
    where = _device(kernel, device, values)
    recording = record.current()
    if recording is not None and where is not recording.device:
        raise CaptureError(f"launch of {kernel.key} on {where} in a capture on {recording.device}: use one device")
    packer = _Packer(kernel, where, recording)
    arguments = [packer.argument(p.name, p.type, value) for p, value in zip(form.parameters, values)]
    if size == 0:
        return
    if recording is not None:
        recording.launch(kernel, shape, arguments, size)
    else:
        where.launch(kernel, shape, arguments, size)


def _shape(kernel: Kernel, dim: int | Sequence[int], rank: int) -> tuple[list[int], int]:
    """Extents for the kernel's rank, and the number of threads.

    Missing extents are 1. Extents beyond the rank repeat every coordinate that many times, as in Warp.
    """
    extents: list[Any] = list(dim) if isinstance(dim, list | tuple) else [dim]
    for extent in extents:
        if not isinstance(extent, int | np.integer) or not 0 <= extent <= MAX_EXTENT:
            raise CaptureError(f"launch of {kernel.key}: dim={dim!r}; extents are integers from 0 to {MAX_EXTENT}")
    if not 1 <= len(extents) <= 4:
        raise CaptureError(f"launch of {kernel.key}: dim={dim!r} has {len(extents)} extents; give 1 to 4")
    extents = [int(extent) for extent in extents]
    return (extents + [1] * rank)[:rank], math.prod(extents)


def _device(kernel: Kernel, device: DeviceLike, values: Sequence[Any]) -> Device:
    """The device asked for, else that of the first array, else that of the capture."""
    if device is not None:
        return get_device(device)
    for value in values:
        if isinstance(value, array):
            return value.device
    recording = record.current()
    return recording.device if recording is not None else get_device(None)


class _Packer:
    """Turns Python values into the byte images that kernels get."""

    def __init__(self, kernel: Kernel, device: Device, recording: record.Recording | None) -> None:
        self.kernel, self.device, self.recording = kernel, device, recording

    def argument(self, name: str, type: Type, value: Any) -> Any:
        from .. import _native

        pointers: list[tuple[int, int]] = []
        image = self._image(name, type, value, 0, pointers)
        return _native.Argument(image, type.alignment, pointers, self.kernel.access.get(name, "unknown"))

    def _fail(self, name: str, type: Type, value: Any, what: str = "") -> Any:
        given = what or f"{_description(value)} given"
        raise CaptureError(f"launch of {self.kernel.key}, argument `{name}`: {short_name(type)} needed, {given}")

    def _image(self, name: str, type: Type, value: Any, offset: int, pointers: list[tuple[int, int]]) -> bytes:
        if isinstance(type, ArrayType):
            return self._array(name, type, value, offset, pointers)
        if isinstance(type, StructType):
            return self._struct(name, type, value, offset, pointers)
        if isinstance(type, Scalar):
            return self._scalar(name, type, value)
        try:
            result: bytes = np.asarray(type(*value) if np.ndim(value) == 1 else type(value)).tobytes()
            return result
        except (TypeError, ValueError):
            return self._fail(name, type, value)  # type: ignore[no-any-return]

    def _scalar(self, name: str, type: Scalar, value: Any) -> bytes:
        if isinstance(value, bool | np.bool_):
            fits = not type.is_float
        elif isinstance(value, int | np.integer):
            fits = type.kind != "b"
        else:
            fits = type.is_float and isinstance(value, float | np.floating)
        if not fits:
            self._fail(name, type, value)
        if type.is_integer:
            bits = type.size * 8
            low, high = (0, (1 << bits) - 1) if type.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
            if not low <= int(value) <= high:
                self._fail(name, type, value, f"{value} given; it holds {low} to {high}")
        with np.errstate(over="ignore"):
            result: bytes = type(value).tobytes()
        return result

    def _array(self, name: str, type: ArrayType, value: Any, offset: int, pointers: list[tuple[int, int]]) -> bytes:
        if value is None:
            pointers += [(offset, 0), (offset + 8, 0)]
            return struct.pack("<QQ4i4iHHi", 0, 0, *[0] * 8, type.ndim, 0, 0)
        if not isinstance(value, array) or value.dtype != type.dtype or value.ndim != type.ndim:
            return self._fail(name, type, value)  # type: ignore[no-any-return]
        if value.device is not self.device:
            self._fail(name, type, value, f"an array on {value.device} given for a launch on {self.device}")
        if any(stride > MAX_EXTENT for stride in value.strides):
            self._fail(name, type, value, f"the strides {value.strides} are beyond {MAX_EXTENT} bytes")
        pointers += [(offset, value.ptr), (offset + 8, 0)]
        if self.recording is not None:
            self.recording.add_region(value)
        shape = (*value.shape, 0, 0, 0, 0)[:4]
        strides = (*value.strides, 0, 0, 0, 0)[:4]
        image = struct.pack("<QQ4i4iHHi", 0, 0, *shape, *strides, value.ndim, 0, 0)
        assert len(image) == ARRAY_SIZE
        return image

    def _struct(self, name: str, type: StructType, value: Any, offset: int, pointers: list[tuple[int, int]]) -> bytes:
        if not isinstance(value, StructValue) or value.type != type:
            return self._fail(name, type, value)  # type: ignore[no-any-return]
        image = bytearray(type.size)
        for field in type.fields:
            part = self._image(
                f"{name}.{field.name}", field.type, getattr(value, field.name), offset + field.offset, pointers
            )
            image[field.offset : field.offset + len(part)] = part
        return bytes(image)


def _description(value: Any) -> str:
    if isinstance(value, array):
        return repr(value)
    if isinstance(value, StructValue):
        return f"a {value.type.name}"
    return f"{type(value).__name__} {value!r}"[:80]
