"""`@struct`: a class whose annotations are fields, laid out as C lays them out."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import CaptureError


def round_up(value: int, alignment: int) -> int:
    return (value + alignment - 1) // alignment * alignment


@dataclass(frozen=True)
class Field:
    name: str
    type: Any  # Scalar, VectorType, MatrixType, StructType or ArrayType
    offset: int  # bytes from the start of the struct


@dataclass(frozen=True)
class StructType:
    """C layout: each field at its own alignment, in declaration order, tail padded to the largest alignment."""

    name: str
    fields: tuple[Field, ...]

    @property
    def alignment(self) -> int:
        return max(int(field.type.alignment) for field in self.fields)

    @property
    def size(self) -> int:
        last = self.fields[-1]
        return round_up(last.offset + last.type.size, self.alignment)

    @property
    def holds_arrays(self) -> bool:
        return any(getattr(field.type, "holds_arrays", False) for field in self.fields)

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)

    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype(
            {
                "names": [field.name for field in self.fields],
                "formats": [field.type.numpy_dtype() for field in self.fields],
                "offsets": [field.offset for field in self.fields],
                "itemsize": self.size,
            }
        )

    def __call__(self, **values: Any) -> StructValue:
        """A zeroed value; fields by keyword."""
        return StructValue(self, values)

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}: {field.type!r} @{field.offset}" for field in self.fields)
        return f"{self.name}({fields})"


class StructValue:
    """A struct on the host: set its fields by name, pass it to a launch or into an array."""

    _type: StructType
    _values: dict[str, Any]

    def __init__(self, type: StructType, values: dict[str, Any]) -> None:
        object.__setattr__(self, "_type", type)
        object.__setattr__(self, "_values", {})
        for field in type.fields:
            self._values[field.name] = _default(field.type)
        for name, value in values.items():
            setattr(self, name, value)

    @property
    def type(self) -> StructType:
        return self._type

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(_no_field(self._type, name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._type.field(name)
        if field is None:
            raise AttributeError(_no_field(self._type, name))
        if (
            hasattr(field.type, "scalar")
            or isinstance(field.type, StructType)
            or getattr(field.type, "holds_arrays", False)
        ):
            self._values[name] = value
        else:
            self._values[name] = field.type(value)

    def numpy_value(self) -> Any:
        """The value as one NumPy record (structs without array fields)."""
        record = np.zeros((), self._type.numpy_dtype())
        for field in self._type.fields:
            value = self._values[field.name]
            record[field.name] = value.numpy_value() if isinstance(value, StructValue) else value
        return record[()]

    def __repr__(self) -> str:
        return f"{self._type.name}({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


def _default(type: Any) -> Any:
    if getattr(type, "holds_arrays", False) and not isinstance(type, StructType):
        return None  # a null array
    return type()


def _no_field(type: StructType, name: str) -> str:
    return f"struct {type.name} has no field {name!r}; it has {', '.join(field.name for field in type.fields)}"


def struct(cls: type) -> StructType:
    """Class decorator: annotations become the fields of a C struct."""
    from .dtypes import resolve_annotation  # a struct may hold arrays, whose types know structs

    frame = sys._getframe(1)
    names = {**frame.f_globals, **frame.f_locals}
    fields: list[Field] = []
    offset = 0
    for name, annotation in inspect.get_annotations(cls).items():
        try:
            type = resolve_annotation(annotation, names)
        except TypeError as error:
            raise CaptureError(f"struct {cls.__name__}, field {name}: {error}") from None
        offset = round_up(offset, type.alignment)
        fields.append(Field(name, type, offset))
        offset += type.size
    if not fields:
        raise CaptureError(f"struct {cls.__name__} has no fields: write at least one, such as `x: float`")
    return StructType(cls.__name__, tuple(fields))
