"""What a scene is: kernels plus parameters in one Python file, from which capture, replay and viewer are made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from .errors import UserError
from .limits import LARGEST_CELL, MAX_CELLS, MAX_SIDE, MAX_SUBSTEPS, SMALLEST_CELL

if TYPE_CHECKING:
    from .. import capture as wc

FRAME_RATE = 60.0
"""Simulated frames a second at time scale 1."""

OFF_GRID = (-1000.0, -1000.0)
"""Where the brush lies, in cells, while nothing is pressed."""


@dataclass(frozen=True)
class Parameter:
    """A number that a person may change while watching; moving it never recaptures.

    name: the field of the scene's parameter struct. low, high: the slider's ends, in `unit`.
    scale: how the slider spreads its range. advanced: shown folded away.
    """

    name: str
    label: str
    default: float
    low: float
    high: float
    unit: str = ""
    description: str = ""
    scale: Literal["linear", "log"] = "linear"
    advanced: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise UserError(f"parameter {self.name}: low {self.low} must lie below high {self.high}, both finite")
        if not self.low <= self.default <= self.high:
            raise UserError(
                f"parameter {self.name}: the default {self.default} must lie within {self.low} to {self.high}"
            )
        if self.scale == "log" and self.low <= 0:
            raise UserError(f"parameter {self.name}: a log scale needs low above 0, got {self.low}")

    def clamp(self, value: float) -> float:
        """The nearest allowed value; the default for NaN."""
        return self.default if math.isnan(value) else min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Grid:
    """What the recorded stream depends on: changing any of it is a new capture.

    width, height: cells; height arrays have shape (height, width). substeps: solver launches a frame.
    cell: edge of a cell in world units.
    """

    width: int = 128
    height: int = 128
    substeps: int = 16
    cell: float = 0.1

    def __post_init__(self) -> None:
        for name, high in (("width", MAX_SIDE), ("height", MAX_SIDE), ("substeps", MAX_SUBSTEPS)):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= high:
                raise UserError(f"{name} {value!r} is out of range: give a whole number from 1 to {high}")
        if self.width * self.height > MAX_CELLS:
            raise UserError(f"grid {self.width} x {self.height} is too large: at most {MAX_CELLS} cells in all")
        if not SMALLEST_CELL <= self.cell <= LARGEST_CELL:
            raise UserError(
                f"cell {self.cell!r} is out of range: give a length from {SMALLEST_CELL:g} to {LARGEST_CELL:g}"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of a height array: (height, width)."""
        return (self.height, self.width)

    @property
    def dt(self) -> float:
        """Seconds a sub-step lasts at time scale 1."""
        return 1.0 / FRAME_RATE / self.substeps

    def with_(self, **changes: Any) -> Grid:
        """A copy with some fields changed, checked again."""
        return replace(self, **changes)


@dataclass(frozen=True)
class RecordedScene:
    """What `Scene.record` returns: the recorded graph and the arrays that get names in the file."""

    graph: wc.Graph
    inputs: dict[str, wc.array]
    outputs: dict[str, wc.array]


class Scene:
    """Base of every scene. A subclass sets the class attributes and writes `record`; the rest has sensible defaults.

    The viewer finds its way by input names:

    `heights`     (height, width) float32: the surface; shown after each frame, so state must end where it began.
    `mouse_pos`   one vec2 in cells: the brush, `OFF_GRID` while nothing is pressed.
    `mouse_from`  optional, one vec2: where the brush was a frame ago; a kernel that reads it draws segments itself.
    `params`      one `params_struct`: filled by `pack`.

    heights: the parameter to show, where it is named otherwise.
    fields: inputs on the grid, carried over a recapture and resampled when the size changes (integers by nearest cell).
    Every other input keeps its bytes over a recapture when its size is unchanged.
    look: (field of `view.look.Look`, value) pairs that suit the scene.
    file: a capture that is replayed as it is; None for a scene that records its own.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    description: ClassVar[str] = ""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    params_struct: ClassVar[Any] = None
    heights: ClassVar[str] = "heights"
    fields: ClassVar[tuple[str, ...]] = ("heights", "heights_prev")
    look: ClassVar[tuple[tuple[str, Any], ...]] = ()
    file: ClassVar[Path | None] = None
    default_grid: ClassVar[Grid] = Grid()

    def record(self, grid: Grid) -> RecordedScene:
        """Allocates arrays, records one frame with `capture.ScopedCapture`, names inputs and outputs. Runs nothing."""
        raise NotImplementedError(f"{type(self).__name__}.record is missing: every scene records its frame")

    def pack(self, values: Mapping[str, float], grid: Grid, dt: float) -> np.ndarray:
        """The bytes of `params`: shape (1,), dtype of `params_struct`; `dt` is the sub-step in seconds.

        Fields named like a parameter take its value, `dt`, `cell`, `width` and `height` take the grid's; others stay 0.
        """
        packed = np.zeros(1, dtype=struct_dtype(self.params_struct))
        known = {"dt": dt, "cell": grid.cell, "width": grid.width, "height": grid.height, **values}
        for name in packed.dtype.names or ():
            if name in known:
                packed[name] = known[name]
        return packed

    def parameter(self, name: str) -> Parameter:
        """The declared parameter of that name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(p.name for p in self.parameters) or "none"
        raise UserError(f"scene {self.name} has no parameter {name!r}; it has: {known}")

    def defaults(self) -> dict[str, float]:
        """Every parameter's default by name."""
        return {parameter.name: parameter.default for parameter in self.parameters}

    def module_hash(self) -> str:
        """Identity of the scene for the capture cache: its file's text, and its kernels as they are compiled."""
        import hashlib
        import inspect

        from .captures import record

        source = inspect.getsource(inspect.getmodule(type(self)) or type(self))
        kernels = sorted(record(self, Grid(1, 1, 2)).graph.modules)
        return hashlib.sha256("\0".join([source, *kernels]).encode()).hexdigest()


def struct_dtype(struct: Any) -> np.dtype[Any]:
    """The NumPy dtype of a `capture.struct` class."""
    dtype: np.dtype[Any] = np.dtype(struct.numpy_dtype())
    return dtype


def time_step(grid: Grid, time_scale: float = 1.0) -> float:
    """Seconds a sub-step lasts at a time scale."""
    return grid.dt * time_scale
