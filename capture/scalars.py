"""Scalar types of the kernel language, and what Python and NumPy call them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number type. Calling it converts: `float32(3)` is a NumPy float32, inside kernels a cast."""

    name: str
    cpp: str
    kind: str  # "b" bool, "i" signed, "u" unsigned, "f" float
    size: int  # bytes, and alignment

    @property
    def alignment(self) -> int:
        return self.size

    @property
    def is_float(self) -> builtins.bool:
        return self.kind == "f"

    @property
    def is_integer(self) -> builtins.bool:
        return self.kind in "iu"

    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype(self.name)

    def __call__(self, value: Any = 0) -> Any:
        return self.numpy_dtype().type(value)

    def __repr__(self) -> str:
        return self.name


bool = Scalar("bool", "bool", "b", 1)
int8 = Scalar("int8", "wc::int8", "i", 1)
uint8 = Scalar("uint8", "wc::uint8", "u", 1)
int16 = Scalar("int16", "wc::int16", "i", 2)
uint16 = Scalar("uint16", "wc::uint16", "u", 2)
int32 = Scalar("int32", "int", "i", 4)
uint32 = Scalar("uint32", "wc::uint32", "u", 4)
int64 = Scalar("int64", "wc::int64", "i", 8)
uint64 = Scalar("uint64", "wc::uint64", "u", 8)
float32 = Scalar("float32", "float", "f", 4)
float64 = Scalar("float64", "double", "f", 8)

SCALARS = {
    scalar.name: scalar for scalar in (bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64)
}

# As in Warp, Python's own names mean the 32-bit types.
PYTHON_SCALARS: dict[type, Scalar] = {builtins.bool: bool, builtins.int: int32, builtins.float: float32}
