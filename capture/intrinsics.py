"""The functions that kernels know: names, argument rules, results. Their C++ is in preamble.hpp, under the same names.

`+ - * / sqrt fma` and what is made of them give the same bits on every target. The functions marked with `APPROXIMATE`
come from each target's math library: they agree to a few units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import scalars
from .dtypes import Type
from .errors import CaptureError
from .scalars import Scalar
from .vectors import MatrixType, VectorType

Rule = Callable[[tuple[Type, ...]], "Type | None"]


@dataclass(frozen=True)
class IntrinsicFunction:
    """What `whitecap.capture.sqrt` is: a name for kernels, not something to call from Python."""

    name: str
    arity: int
    takes: str  # for messages
    rule: Rule

    def result(self, types: tuple[Type, ...]) -> Type | None:
        """Type of the result, or None when the arguments don't fit."""
        return self.rule(types)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise CaptureError(f"{self.name}() runs inside kernels only: in Python use NumPy's or math's function")


def _is_number(type: Type) -> bool:
    return isinstance(type, Scalar) and type is not scalars.bool


def _is_float(type: Type) -> bool:
    return isinstance(type, Scalar) and type.is_float


def _same(types: tuple[Type, ...]) -> bool:
    return all(type == types[0] for type in types)


def _floats(types: tuple[Type, ...]) -> Type | None:
    return types[0] if _same(types) and _is_float(types[0]) else None


def _numbers(types: tuple[Type, ...]) -> Type | None:
    return types[0] if _same(types) and _is_number(types[0]) else None


def _numbers_or_vectors(types: tuple[Type, ...]) -> Type | None:
    return types[0] if _same(types) and (_is_number(types[0]) or isinstance(types[0], VectorType)) else None


def _integers(types: tuple[Type, ...]) -> Type | None:
    return types[0] if _same(types) and isinstance(types[0], Scalar) and types[0].is_integer else None


def _tests_float(types: tuple[Type, ...]) -> Type | None:
    return scalars.bool if _is_float(types[0]) else None


def _where(types: tuple[Type, ...]) -> Type | None:
    return types[1] if types[0] is scalars.bool and types[1] == types[2] else None


def _lerp(types: tuple[Type, ...]) -> Type | None:
    a, b, t = types
    scalar = a.scalar if isinstance(a, VectorType) else a
    return a if a == b and t == scalar and _is_float(t) else None


def _float_vector(types: tuple[Type, ...]) -> VectorType | None:
    first = types[0]
    return first if isinstance(first, VectorType) and first.scalar.is_float and _same(types) else None


def _dot(types: tuple[Type, ...]) -> Type | None:
    first = types[0]
    return first.scalar if isinstance(first, VectorType) and _same(types) else None


def _length(types: tuple[Type, ...]) -> Type | None:
    vector = _float_vector(types)
    return vector.scalar if vector else None


def _cross(types: tuple[Type, ...]) -> Type | None:
    vector = _float_vector(types)
    return vector if vector and vector.length == 3 else None


def _transpose(types: tuple[Type, ...]) -> Type | None:
    return types[0] if isinstance(types[0], MatrixType) else None


def _determinant(types: tuple[Type, ...]) -> Type | None:
    return types[0].scalar if isinstance(types[0], MatrixType) else None


INTRINSICS: dict[str, IntrinsicFunction] = {}


def _define(names: str, arity: int, takes: str, rule: Rule) -> None:
    for name in names.split():
        INTRINSICS[name] = IntrinsicFunction(name, arity, takes, rule)


APPROXIMATE = (
    [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "log",
        "log2",
        "log10",
        "cbrt",
    ],
    ["pow", "atan2"],
)

_define(" ".join(APPROXIMATE[0]), 1, "a float", _floats)
_define(" ".join(APPROXIMATE[1]), 2, "two floats of one type", _floats)
_define("sqrt floor ceil round rint trunc frac degrees radians", 1, "a float", _floats)
_define("isnan isinf isfinite", 1, "a float", _tests_float)
_define("abs sign", 1, "a number or a vector", _numbers_or_vectors)
_define("min max", 2, "two numbers or vectors of one type", _numbers_or_vectors)
_define("clamp", 3, "three numbers or vectors of one type (value, low, high)", _numbers_or_vectors)
_define("floormod", 2, "two numbers of one type", _numbers)
_define("where", 3, "a bool and two values of one type (condition, if_true, if_false)", _where)
_define("lerp", 3, "two floats or vectors and a float (from, to, fraction)", _lerp)
_define("smoothstep", 3, "three floats of one type (low, high, value)", _floats)
_define("dot", 2, "two vectors of one type", _dot)
_define("cross", 2, "two float vectors of length 3", _cross)
_define("length length_sq", 1, "a float vector", _length)
_define("normalize", 1, "a float vector", _float_vector)
_define("transpose", 1, "a matrix", _transpose)
_define("determinant", 1, "a matrix", _determinant)
_define("popc", 1, "an integer", _integers)


@dataclass(frozen=True)
class SpecialFunction:
    """`tid` and the atomics: not functions of values alone, so the parser knows them by name."""

    name: str

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise CaptureError(f"{self.name}() runs inside kernels only")


SPECIALS = {name: SpecialFunction(name) for name in ("tid", "atomic_add", "atomic_sub", "atomic_min", "atomic_max")}
