"""The uniform block that all passes of a frame share (shaders/scene.glsl), packed from surface, camera and look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import moderngl
import numpy as np
from pyglm import glm

from ..camera import REFERENCE_EXTENT, Camera
from .look import Look
from .sky import Daylight

_VECTORS = (
    "eye",
    "sun",
    "sun_light",
    "sky_light",
    "horizon",
    "basin",
    "grid",
    "absorption",
    "ring",
    "scale",
)
LAYOUT = np.dtype(
    [("view_projection", "<f4", 16), ("inverse_view_projection", "<f4", 16)] + [(name, "<f4", 4) for name in _VECTORS]
)

REFERENCE_DEPTH = 2.5
# How a clear pool of that depth tints light, as extinction per world unit.
ABSORPTION = (0.36, 0.095, 0.050)


@dataclass(frozen=True)
class Grid:
    """Shape of the surface: columns, rows and the size of a cell in world units."""

    columns: int
    rows: int
    cell: float

    @property
    def extent(self) -> tuple[float, float]:
        """World width and depth, outermost half cells included."""
        return self.columns * self.cell, self.rows * self.cell


@dataclass(frozen=True)
class Basin:
    """The box around the water, world units: half extents, depth of the floor and height of the rim."""

    half_width: float
    half_depth: float
    floor: float
    rim: float
    tile: float

    @staticmethod
    def around(grid: Grid, look: Look) -> Basin:
        """A basin in proportion to the grid. Waves do not grow with the grid, so the depth grows more slowly."""
        width, depth = grid.extent
        scale = max(width, depth) / REFERENCE_EXTENT
        floor = look.depth or REFERENCE_DEPTH * scale**0.35
        tile = 0.4 * 2.0 ** round(math.log2(scale))
        return Basin(width / 2, depth / 2, floor, 0.34 * min(max(scale, min(0.6, 2 * scale)), 8.0), tile)


@dataclass(frozen=True)
class Hover:
    """The brush's footprint: centre and radius in cells."""

    cell: tuple[float, float]
    radius: float


class SceneBlock:
    """The block's buffer; `write` fills it for one frame."""

    def __init__(self, context: moderngl.Context) -> None:
        self._values = np.zeros((), LAYOUT)
        self._buffer = context.buffer(reserve=LAYOUT.itemsize, dynamic=True)

    def write(
        self,
        grid: Grid,
        basin: Basin,
        camera: Camera,
        look: Look,
        daylight: Daylight,
        size: tuple[int, int],
        hover: Hover | None,
    ) -> None:
        """Packs one frame and binds the block. size: framebuffer pixels."""
        view_projection = camera.projection(size) * camera.view()
        tint = look.absorption * (1.0 if look.depth else REFERENCE_DEPTH / basin.floor)
        pixel = 2 * math.tan(math.radians(camera.fov) / 2) / max(size[1], 1)
        scale = max(grid.extent) / REFERENCE_EXTENT
        self._set(
            view_projection=_columns(view_projection),
            inverse_view_projection=_columns(glm.inverse(view_projection)),
            eye=(*camera.eye, pixel),
            sun=(*daylight.direction, float(look.sun)),
            sun_light=(*daylight.sun, daylight.exposure),
            sky_light=(*daylight.sky, float(look.sky)),
            horizon=(*daylight.haze, 40.0 * scale),
            basin=(basin.half_width, basin.floor, basin.half_depth, basin.rim if look.walls else 0.0),
            grid=(grid.columns, grid.rows, grid.cell, look.exaggeration),
            # The floor keeps its colour in basins of other depths, unless a depth is asked for.
            absorption=(*(tint * value for value in ABSORPTION), basin.tile),
            ring=_ring(grid, hover),
        )

    def write_data(self, low: float, high: float, interval: float, look: Look) -> None:
        """What only the data view needs; call after `write`."""
        self._set(scale=(low, high, interval, look.shading))

    def release(self) -> None:
        self._buffer.release()

    def _set(self, **vectors: Any) -> None:
        for name, value in vectors.items():
            self._values[name] = value
        self._buffer.write(self._values.tobytes())
        self._buffer.bind_to_uniform_block(0)


def _columns(matrix: Any) -> Any:
    """Column after column, as GLSL reads it."""
    return np.frombuffer(matrix.to_bytes(), dtype=np.float32)


def _ring(grid: Grid, hover: Hover | None) -> tuple[float, float, float, float]:
    if hover is None:
        return (0.0, 0.0, 0.0, 0.0)
    x = (hover.cell[0] - (grid.columns - 1) / 2) * grid.cell
    z = (hover.cell[1] - (grid.rows - 1) / 2) * grid.cell
    return (x, z, hover.radius * grid.cell, 1.0)
