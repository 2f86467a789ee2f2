"""Captures from anywhere: which of their parameters is a grid of heights, and a scene that shows it."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import UserError
from .scene import Grid, RecordedScene, Scene

if TYPE_CHECKING:
    from .. import capture as wc

# An array argument: data u64, grad u64, shape i32[4], strides i32[4] in bytes, ndim u16, flags u16, 4 bytes of padding.
_ARRAY = struct.Struct("<QQ4i4iHH4x")
FLOAT_SIZE = 4


@dataclass(frozen=True)
class HeightField:
    """A parameter that holds a float32 grid. obvious: some launch takes it as a 2-D array."""

    name: str
    width: int
    height: int
    obvious: bool

    def __str__(self) -> str:
        return f"{self.name} ({self.width} x {self.height})"


class FileScene(Scene):
    """A capture from a file: it is replayed as it is, and there is nothing to record."""

    parameters = ()

    def __init__(self, path: Path, field: HeightField, fields: Iterable[str] = ()) -> None:
        """fields: parameters that hold the waves, to go back to after a runaway; see `wave_inputs`."""
        self.file = path  # type: ignore[misc]
        self.name = path.name  # type: ignore[misc]
        self.title = path.name  # type: ignore[misc]
        self.description = f"A capture loaded from {path}."  # type: ignore[misc]
        self.heights = field.name  # type: ignore[misc]
        self.fields = tuple(fields)  # type: ignore[misc]
        self.default_grid = Grid(field.width, field.height, 1)  # type: ignore[misc]

    def record(self, grid: Grid) -> RecordedScene:
        self._refuse()

    def module_hash(self) -> str:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UserError(f"{self.name} is a loaded capture: its grid and sub-steps are fixed in the file")


def height_fields(capture: wc.Capture) -> list[HeightField]:
    """Every parameter that can be shown as heights, the likeliest first.

    A parameter that a launch takes as a whole 2-D array has that shape; one of a square number of floats may be a
    flattened grid. Of two names of one region the output comes first: it is what the frame made.
    """
    shapes = dict(_array_shapes(capture.operations))
    fields: list[HeightField] = []
    for binding in capture.bindings:
        shape = shapes.get(binding["region"])
        if shape is not None and math.prod(shape) * FLOAT_SIZE == binding["size"]:
            fields.append(HeightField(binding["name"], shape[1], shape[0], obvious=True))
            continue
        side = math.isqrt(binding["size"] // FLOAT_SIZE)
        if side > 1 and side * side * FLOAT_SIZE == binding["size"]:
            fields.append(HeightField(binding["name"], side, side, obvious=False))
    outputs = {binding["name"] for binding in capture.bindings if binding["output"]}
    return sorted(
        fields, key=lambda f: (not f.obvious, "height" not in f.name, "prev" in f.name, f.name not in outputs)
    )


def wave_inputs(capture: wc.Capture, field: HeightField) -> tuple[str, ...]:
    """The inputs that are grids of the field's size: the state of a simulation that names what it works on."""
    size = field.width * field.height * FLOAT_SIZE
    return tuple(b["name"] for b in capture.bindings if not b["output"] and b["size"] == size)


def choose_field(fields: list[HeightField], path: Path) -> HeightField | None:
    """The one to show; None when a person must say. UserError when there is none."""
    if not fields:
        raise UserError(f"{path}: no parameter of this capture is a 2-D grid of float32, so there is nothing to show")
    likely = [field for field in fields if "height" in field.name and "prev" not in field.name]
    if likely and all((f.width, f.height) == (likely[0].width, likely[0].height) for f in likely):
        return likely[0]
    return fields[0] if len(fields) == 1 else None


def _array_shapes(operations: list[dict[str, Any]]) -> Iterator[tuple[int, tuple[int, int]]]:
    """(region, (rows, columns)) of each contiguous 2-D array of 4-byte elements that a launch takes."""
    for operation in operations:
        for branch in operation.get("branches", ()):
            yield from _array_shapes(branch)
        for argument in operation.get("arguments", ()):
            data, regions = argument["bytes"], argument["regions"]
            if len(data) != _ARRAY.size or not regions:
                continue
            _, _, rows, columns, _, _, row_stride, stride, _, _, ndim, _ = _ARRAY.unpack(data)
            if ndim == 2 and stride == FLOAT_SIZE and row_stride == columns * FLOAT_SIZE and rows > 0 and columns > 0:
                yield regions[0], (rows, columns)
