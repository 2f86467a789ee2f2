"""Functions that make and copy arrays: zeros, full, from_numpy, clone, copy and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import record
from .arrays import array
from .device import DeviceLike
from .errors import CaptureError
from .structs import StructValue


def array1d(data: Any = None, **options: Any) -> Any:
    """`array` with ndim=1; without data the annotation. array2d, array3d and array4d likewise."""
    return array(data, ndim=1, **options)


def array2d(data: Any = None, **options: Any) -> Any:
    return array(data, ndim=2, **options)


def array3d(data: Any = None, **options: Any) -> Any:
    return array(data, ndim=3, **options)


def array4d(data: Any = None, **options: Any) -> Any:
    return array(data, ndim=4, **options)


def zeros(shape: int | Sequence[int], dtype: Any = float, device: DeviceLike = None) -> array:
    """A zeroed array. Made while recording, it is zeroed again by every launch of the graph."""
    result: array = array(shape=shape, dtype=dtype, device=device)
    if record.current() is not None:
        result.zero_()
    return result


def empty(shape: int | Sequence[int], dtype: Any = float, device: DeviceLike = None) -> array:
    """An array for results; its memory is zeroed as well."""
    result: array = array(shape=shape, dtype=dtype, device=device)
    return result


def full(shape: int | Sequence[int], value: Any, dtype: Any = None, device: DeviceLike = None) -> array:
    """An array with every element = value."""
    if dtype is None:
        dtype = value.type if isinstance(value, StructValue) else type(value)
    result: array = array(shape=shape, dtype=dtype, device=device)
    result.fill_(value)
    return result


def ones(shape: int | Sequence[int], dtype: Any = float, device: DeviceLike = None) -> array:
    return full(shape, 1, dtype, device)


def zeros_like(source: array, device: DeviceLike = None) -> array:
    return zeros(source.shape, source.dtype, device or source.device)


def empty_like(source: array, device: DeviceLike = None) -> array:
    return empty(source.shape, source.dtype, device or source.device)


def ones_like(source: array, device: DeviceLike = None) -> array:
    return full(source.shape, 1, source.dtype, device or source.device)


def full_like(source: array, value: Any, device: DeviceLike = None) -> array:
    return full(source.shape, value, source.dtype, device or source.device)


def from_numpy(data: Any, dtype: Any = None, shape: Any = None, device: DeviceLike = None) -> array:
    """A copy of a NumPy array."""
    result: array = array(np.asarray(data), dtype=dtype, shape=shape, device=device)
    return result


def clone(source: array, device: DeviceLike = None) -> array:
    """A contiguous copy."""
    result = empty(source.shape, source.dtype, device or source.device)
    copy(result, source)
    return result


def copy(dest: array, src: array, dest_offset: int = 0, src_offset: int = 0, count: int = 0) -> None:
    """dest[dest_offset:] = src[src_offset:], `count` elements (0: all of src). Recorded while recording."""
    if dest.dtype.size != src.dtype.size:
        raise CaptureError(f"copy(): elements of {src!r} don't fit into {dest!r}")
    count = count or src.size - src_offset
    if min(dest_offset, src_offset, count) < 0 or src_offset + count > src.size or dest_offset + count > dest.size:
        raise CaptureError(
            f"copy() of {count} elements: {src!r} from {src_offset} doesn't fit into {dest!r} from {dest_offset}"
        )
    if count == 0:
        return
    whole = dest_offset == src_offset == 0 and dest.shape == src.shape
    if not (dest.is_contiguous and src.is_contiguous):
        if record.current() is not None or not whole or not (dest.device.is_cpu and src.device.is_cpu):
            raise CaptureError(
                f"copy() between {src!r} and {dest!r}: both must be contiguous; use a kernel for strided views"
            )
        np.copyto(dest.numpy(), src.numpy())
        return
    record.copy_bytes(dest, dest_offset * dest.dtype.size, src, src_offset * src.dtype.size, count * src.dtype.size)
