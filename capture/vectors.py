"""Small vectors and matrices: `vec3(1.0, 2.0, 3.0)`, `mat22(...)`; values on the host are NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import scalars
from .scalars import Scalar

COMPONENTS = "xyzw"


class VectorValue(np.ndarray[Any, Any]):
    """A vector on the host: a NumPy array with x, y, z, w."""

    def __getattr__(self, name: str) -> Any:
        index = COMPONENTS.find(name) if len(name) == 1 else -1
        if not 0 <= index < len(self):
            raise AttributeError(f"a vector of {len(self)} has no component {name!r}")
        return self[index]


@dataclass(frozen=True)
class VectorType:
    """`length` numbers of one scalar type, stored back to back (float32 vec3: 12 bytes, alignment 4)."""

    name: str
    length: int
    scalar: Scalar

    @property
    def cpp(self) -> str:
        return f"wc::vec_t<{self.length}, {self.scalar.cpp}>"

    @property
    def size(self) -> int:
        return self.length * self.scalar.size

    @property
    def alignment(self) -> int:
        return self.scalar.size

    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype((self.scalar.numpy_dtype(), (self.length,)))

    def __call__(self, *components: Any) -> VectorValue:
        """From nothing (zeros), one number (all components), all of them, or a sequence of them."""
        values = components[0] if len(components) == 1 and np.ndim(components[0]) == 1 else components
        if len(values) not in (0, 1, self.length):
            raise ValueError(f"{self.name}: {len(values)} components given, {self.length} needed")
        result = np.zeros(self.length, self.scalar.numpy_dtype()).view(VectorValue)
        result[:] = values if len(values) else 0
        return result

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class MatrixType:
    """`rows` x `columns` numbers of one scalar type, row-major, back to back."""

    name: str
    rows: int
    columns: int
    scalar: Scalar

    @property
    def cpp(self) -> str:
        return f"wc::mat_t<{self.rows}, {self.columns}, {self.scalar.cpp}>"

    @property
    def size(self) -> int:
        return self.rows * self.columns * self.scalar.size

    @property
    def alignment(self) -> int:
        return self.scalar.size

    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype((self.scalar.numpy_dtype(), (self.rows, self.columns)))

    def __call__(self, *values: Any) -> np.ndarray[Any, Any]:
        """From nothing (zeros), all numbers row by row, or anything of the matrix's shape."""
        data = np.asarray(values[0] if len(values) == 1 else values or 0, self.scalar.numpy_dtype())
        if data.size not in (1, self.rows * self.columns):
            raise ValueError(f"{self.name}: {data.size} numbers given, {self.rows * self.columns} needed")
        if data.size == 1:
            return np.full((self.rows, self.columns), data.item(), self.scalar.numpy_dtype())
        return np.array(data.reshape(self.rows, self.columns))

    def __repr__(self) -> str:
        return self.name


_SUFFIXES = {"f": scalars.float32, "d": scalars.float64, "i": scalars.int32, "u": scalars.uint32}

VECTORS = {
    f"vec{n}{suffix}": VectorType(f"vec{n}{suffix}", n, scalar)
    for n in (2, 3, 4)
    for suffix, scalar in _SUFFIXES.items()
}
MATRICES = {
    f"mat{n}{n}{suffix}": MatrixType(f"mat{n}{n}{suffix}", n, n, _SUFFIXES[suffix])
    for n in (2, 3, 4)
    for suffix in "fd"
}

# The short names are the float32 types.
vec2, vec3, vec4 = (VECTORS[f"vec{n}f"] for n in (2, 3, 4))
mat22, mat33, mat44 = (MATRICES[f"mat{n}{n}f"] for n in (2, 3, 4))
