"""From what people write as a type (`float`, `np.float32`, `wp.vec2`, `wp.array2d(dtype=float)`) to the type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .digest import short_digest
from .scalars import PYTHON_SCALARS, SCALARS, Scalar
from .structs import StructType
from .vectors import MatrixType, VectorType

ARRAY_SIZE = 56  # bytes of array_t: data, grad, shape[4], strides[4], ndim, flags
MAX_DIMENSIONS = 4


@dataclass(frozen=True)
class ArrayType:
    """An array argument: element type and number of dimensions (1 to 4)."""

    dtype: ElementType
    ndim: int = 1

    holds_arrays = True
    size = ARRAY_SIZE
    alignment = 8

    @property
    def cpp(self) -> str:
        return f"wc::array_t<{cpp_name(self.dtype)}>"

    def __repr__(self) -> str:
        return f"array(dtype={short_name(self.dtype)}, ndim={self.ndim})"


ElementType: TypeAlias = Scalar | VectorType | MatrixType | StructType
Type: TypeAlias = ElementType | ArrayType


def cpp_name(type: Type) -> str:
    """The C++ name of a type; structs carry a digest of their layout, so that two of one name live side by side."""
    if isinstance(type, StructType):
        return f"{type.name}_{short_digest(repr(type), 6)}"
    return type.cpp


def short_name(type: Any) -> str:
    """For messages."""
    return type.name if isinstance(type, StructType) else repr(type)


def resolve_dtype(dtype: Any) -> ElementType:
    """Element type of an array. TypeError (one line) for anything else."""
    if isinstance(dtype, Scalar | VectorType | MatrixType):
        return dtype
    if isinstance(dtype, StructType):
        if dtype.holds_arrays:
            raise TypeError(
                f"an array of {dtype.name}, whose fields hold arrays, can't be captured: pass the struct as an argument"
            )
        return dtype
    if isinstance(dtype, type) and dtype in PYTHON_SCALARS:
        return PYTHON_SCALARS[dtype]
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = repr(dtype)
    if name in SCALARS:
        return SCALARS[name]
    raise TypeError(
        f"{name} is no element type: use float, int, bool, {', '.join(list(SCALARS)[1:])}, a vector or a struct"
    )


def resolve_annotation(annotation: Any, names: Mapping[str, Any]) -> Type:
    """Type of a parameter or field; a string is evaluated with `names`. TypeError (one line) when it's none."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(names))
        except Exception as error:
            raise TypeError(f"the annotation {annotation!r} can't be evaluated ({error})") from None
    if isinstance(annotation, ArrayType | StructType):
        return annotation
    return resolve_dtype(annotation)
