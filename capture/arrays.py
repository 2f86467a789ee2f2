"""Arrays: typed memory of a device, 1 to 4 dimensions, and the functions that make and copy them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import record
from .device import Allocation, Device, DeviceLike, get_device
from .dtypes import MAX_DIMENSIONS, ArrayType, ElementType, resolve_dtype, short_name
from .errors import CaptureError
from .structs import StructType, StructValue

if TYPE_CHECKING:
    NumpyArray = np.ndarray[Any, Any]

MAX_EXTENT = 2**31 - 1


class array:
    """Typed memory of a device.

    `array(data, dtype=None, device=None)` copies a list, NumPy array or array; `array(shape=..., dtype=...)` is
    uninitialised in Warp and zeroed here; `array(dtype=..., ndim=1)` without data is the annotation of a parameter.

    dtype: float (float32), int (int32), bool, the toolkit's scalars, NumPy's, a vector, matrix or struct type.
    Strides are in bytes. CaptureError for shapes and types that don't fit.
    """

    device: Device
    dtype: ElementType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    ptr: int

    def __new__(cls, data: Any = None, dtype: Any = None, shape: Any = None, ndim: int | None = None, **_: Any) -> Any:
        if data is None and shape is None:
            return ArrayType(_element_type("array", dtype if dtype is not None else float), _dimensions(ndim or 1))
        return super().__new__(cls)

    def __class_getitem__(cls, dtype: Any) -> ArrayType:
        return ArrayType(_element_type("array", dtype), 1)

    def __init__(
        self,
        data: Any = None,
        dtype: Any = None,
        shape: int | Sequence[int] | None = None,
        ndim: int | None = None,
        device: DeviceLike = None,
        copy: bool = True,
        requires_grad: bool = False,
    ) -> None:
        if requires_grad:
            raise CaptureError("array(requires_grad=True): the toolkit computes no gradients; leave it out")
        host = None
        if data is not None:
            self_dtype, host = _host_data(data, dtype)
            extents = host.shape[: host.ndim - _inner_dimensions(self_dtype)]
        else:
            self_dtype, extents = _element_type("array", dtype if dtype is not None else float), _extents(shape)
        if data is not None and shape is not None and math.prod(_extents(shape)) == math.prod(extents):
            extents = _extents(shape)
        if ndim is not None and ndim != len(extents):
            raise CaptureError(f"array(ndim={ndim}): the data has {len(extents)} dimensions")
        self._place(get_device(device), self_dtype, extents or (1,))
        if host is not None:
            record.refuse_while_recording("making an array from data", "make it before capture_begin()")
            self.device.upload(self.ptr, np.ascontiguousarray(host))

    def _place(self, device: Device, dtype: ElementType, shape: tuple[int, ...]) -> None:
        strides = [dtype.size] * len(shape)
        for dimension in range(len(shape) - 2, -1, -1):
            strides[dimension] = strides[dimension + 1] * shape[dimension + 1]
        allocation = device.allocate(max(math.prod(shape) * dtype.size, 1))
        self._set(device, dtype, shape, tuple(strides), allocation, allocation.pointer)

    def _set(
        self, device: Device, dtype: ElementType, shape: tuple[int, ...], strides: tuple[int, ...],
        allocation: Allocation, ptr: int,
    ) -> None:  # fmt: skip
        self.device, self.dtype, self.shape, self.strides = device, dtype, shape, strides
        self.allocation, self.ptr = allocation, ptr

    def _view(self, shape: tuple[int, ...], strides: tuple[int, ...], ptr: int) -> array:
        view: array = object.__new__(array)
        view._set(self.device, self.dtype, shape, strides, self.allocation, ptr)
        return view

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.size

    @property
    def is_contiguous(self) -> bool:
        expected = self.dtype.size
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if stride != expected and extent > 1:
                return False
            expected *= extent
        return True

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"array(shape={self.shape}, dtype={short_name(self.dtype)}, device={self.device})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumpyArray:
        values: NumpyArray = self.numpy()
        if dtype is not None:
            values = values.astype(dtype)
        result: NumpyArray = values.copy() if copy else values
        return result

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For CuPy, PyTorch and others: arrays on a GPU without a copy."""
        if not self.device.is_cuda:
            raise AttributeError(f"{self!r} isn't on a GPU")
        dtype = self.dtype.numpy_dtype()
        shape, strides = self._host_layout()
        data = (self.ptr, False)
        return {"shape": shape, "strides": strides, "typestr": dtype.base.str, "data": data, "version": 3, "stream": 1}

    def _host_layout(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shape and strides as NumPy sees them: the parts of vectors and matrices are further dimensions."""
        dtype = self.dtype.numpy_dtype()
        inner = np.empty(dtype.shape, dtype.base).strides
        return (*self.shape, *dtype.shape), (*self.strides, *inner)

    def numpy(self) -> NumpyArray:
        """The elements: on the CPU a view that stays in step, elsewhere a copy. Vectors add a dimension."""
        low = self.ptr
        span = sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides)) + self.dtype.size
        if self.size == 0:
            return np.zeros(self.shape, self.dtype.numpy_dtype())
        raw = self.device.download(low, span)
        if self.device.is_cpu:
            raw = _keep(raw, self.allocation)
        shape, strides = self._host_layout()
        values: NumpyArray = np.ndarray(shape, self.dtype.numpy_dtype().base, raw, 0, strides)
        return values

    def assign(self, source: Any) -> None:
        """Copies a NumPy array, a list or an array of the same number of elements."""
        if isinstance(source, array):
            from .array_functions import copy

            copy(self, source)
            return
        record.refuse_while_recording("assign() of host data", "assign before capture_begin(), or copy from an array")
        _, host = _host_data(source, self.dtype)
        if host.size * host.itemsize != self.nbytes:
            raise CaptureError(f"assign(): {host.shape} doesn't fit into {self!r}: give {self.shape}")
        if self.device.is_cpu:
            values = self.numpy()
            values[...] = host.reshape(values.shape)
        elif self.is_contiguous:
            self.device.upload(self.ptr, np.ascontiguousarray(host))
        else:
            raise CaptureError(f"assign() to {self!r}: the view isn't contiguous; assign to the whole array")

    def fill_(self, value: Any) -> None:
        """Every element = value."""
        if self.size == 0:
            return
        if not self.is_contiguous:
            raise CaptureError(f"fill_() of {self!r}: the view isn't contiguous; fill the whole array or use a kernel")
        record.fill(self, _element_bytes(self.dtype, value), self.size)

    def zero_(self) -> None:
        self.fill_(self.dtype())

    def reshape(self, *shape: Any) -> array:
        """A view of the same elements with another shape; one extent may be -1."""
        extents = list(_extents(shape[0] if len(shape) == 1 else shape, allow_rest=True))
        if extents.count(-1) == 1:
            known = -math.prod(extents)
            extents[extents.index(-1)] = self.size // known if known else 0
        if math.prod(extents) != self.size or not self.is_contiguous:
            why = "isn't contiguous" if not self.is_contiguous else f"has {self.size} elements"
            raise CaptureError(f"reshape{tuple(extents)}: {self!r} {why}")
        strides = [self.dtype.size] * len(extents)
        for dimension in range(len(extents) - 2, -1, -1):
            strides[dimension] = strides[dimension + 1] * extents[dimension + 1]
        return self._view(tuple(extents), tuple(strides), self.ptr)

    def flatten(self) -> array:
        return self.reshape(self.size)

    def __getitem__(self, key: Any) -> array:
        """Views of leading rows: `a[2:5]`; `a[3]` of arrays with more than one dimension."""
        if isinstance(key, slice):
            start, stop, step = key.indices(self.shape[0])
            if step == 1:
                count = max(0, stop - start)
                return self._view((count, *self.shape[1:]), self.strides, self.ptr + start * self.strides[0])
        elif isinstance(key, int | np.integer) and self.ndim > 1 and -self.shape[0] <= key < self.shape[0]:
            return self._view(self.shape[1:], self.strides[1:], self.ptr + int(key) % self.shape[0] * self.strides[0])
        raise CaptureError(f"{self!r}[{key!r}]: take leading rows (a[2:5], a[3]), or a.numpy() to read elements")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise CaptureError("elements are set through a.numpy() (CPU), a.assign(...), a.fill_(...) or a kernel")


def _keep(raw: NumpyArray, owner: Allocation) -> NumpyArray:
    """Bytes that keep the memory's owner alive: every view of them does."""
    kept = raw.view(_OwnedBytes)
    kept.owner = owner
    return kept


class _OwnedBytes(np.ndarray[Any, Any]):
    owner: Any = None


def _element_type(who: str, dtype: Any) -> ElementType:
    try:
        return resolve_dtype(dtype)
    except TypeError as error:
        raise CaptureError(f"{who}(dtype=...): {error}") from None


def _dimensions(ndim: int) -> int:
    if not 1 <= ndim <= MAX_DIMENSIONS:
        raise CaptureError(f"array(ndim={ndim}): arrays have 1 to {MAX_DIMENSIONS} dimensions")
    return ndim


def _extents(shape: Any, allow_rest: bool = False) -> tuple[int, ...]:
    extents = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    _dimensions(len(extents))
    for extent in extents:
        if not isinstance(extent, int | np.integer) or not (0 <= extent <= MAX_EXTENT or (allow_rest and extent == -1)):
            raise CaptureError(f"array(shape={shape}): extents are integers from 0 to {MAX_EXTENT}")
    return tuple(int(extent) for extent in extents)


def _inner_dimensions(dtype: ElementType) -> int:
    return len(dtype.numpy_dtype().shape)


def _host_data(data: Any, dtype: Any) -> tuple[ElementType, NumpyArray]:
    """Element type and NumPy form of what a person gave as data."""
    if isinstance(data, array):
        data, dtype = data.numpy(), dtype if dtype is not None else data.dtype
    if isinstance(data, list | tuple) and data and isinstance(data[0], StructValue):
        data, dtype = np.array([value.numpy_value() for value in data]), data[0].type
    if dtype is None:
        values = np.asarray(data)
        dtype = (
            values.dtype if isinstance(data, np.ndarray | np.generic) else float if values.dtype.kind == "f" else int
        )
    element = _element_type("array", dtype)
    wanted = element.numpy_dtype()
    try:
        host = np.asarray(data, wanted.base) if not isinstance(element, StructType) else _records(data, wanted)
    except (TypeError, ValueError) as error:
        raise CaptureError(f"array(dtype={short_name(element)}): the data doesn't fit ({error})") from None
    if wanted.shape and host.shape[-len(wanted.shape) :] != wanted.shape:
        raise CaptureError(
            f"array(dtype={short_name(element)}): the data's last extents are {host.shape[-1:]}, not {wanted.shape}"
        )
    return element, host


def _records(data: Any, dtype: np.dtype[Any]) -> NumpyArray:
    """Structured data; records of the same field names in another layout are converted."""
    return np.asarray(data).astype(dtype) if getattr(data, "dtype", dtype) != dtype else np.asarray(data, dtype)


def _element_bytes(dtype: ElementType, value: Any) -> bytes:
    if isinstance(value, StructValue):
        value = value.numpy_value()
    kind = dtype.numpy_dtype()
    element = np.zeros((), kind.base) if not kind.shape else np.zeros(kind.shape, kind.base)
    try:
        element[...] = value
    except (TypeError, ValueError, OverflowError) as error:
        raise CaptureError(f"fill with {value!r}: not a {short_name(dtype)} ({error})") from None
    return element.tobytes()
