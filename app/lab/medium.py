"""What the tank's kernels read about the water: the medium that walls and edges make on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .raster import covered
from .walls import SIDES, SLOWEST, Boundaries, Shape

ROUND_TRIP_LOSS = 2.5
"""Natural logarithm of what a sponge takes from a wave there and back. The edge behind it lets most of the rest out, so
more would only reflect long waves earlier."""

SOAKS = -1.0
"""In the damping map: an absorbing wall. Its cells follow the water beside them as a wave that runs out does."""


@dataclass
class Medium:
    """What the tank's kernels read about the water, one value a cell.

    speed: (height, width) float32, the square of the local wave speed over that of open water; 0 is a reflecting wall.
    damping: (height, width) float32, 1 / world units: the damping rate over the open wave speed; SOAKS is an absorbing
    wall.
    """

    speed: NDArray[np.float32]
    damping: NDArray[np.float32]

    @property
    def open_cells(self) -> NDArray[np.bool_]:
        """(height, width): where there is water, not wall."""
        return (self.speed > 0) & (self.damping >= 0)


def make_medium(shapes: Sequence[Shape], boundaries: Boundaries, shape: tuple[int, int], cell: float) -> Medium:
    """Paints shapes and absorbing edges on a grid of `shape` (height, width) with cells of `cell` world units."""
    return Painter().medium(shapes, boundaries, shape, cell)


class Painter:
    """Makes media, and remembers what lies under the last shape: while that one is drawn, only it is painted again."""

    def __init__(self) -> None:
        self._under: tuple[Shape, ...] = ()
        self._speed: NDArray[np.float32] = np.ones((0, 0), dtype=np.float32)
        self._soaks: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._sponge_of: tuple[Boundaries, tuple[int, int], float] | None = None
        self._sponge: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)

    def medium(self, shapes: Sequence[Shape], boundaries: Boundaries, shape: tuple[int, int], cell: float) -> Medium:
        """The same as `make_medium`, faster when little has changed. The arrays are the caller's."""
        under, last = tuple(shapes[:-1]), shapes[-1:]
        if self._speed.shape != shape or not _same(under, self._under):
            # What is under the last shape of the next call may well be all of this one's.
            more = self._speed.shape == shape and _same(under[: len(self._under)], self._under)
            if not more:
                self._speed, self._soaks = np.ones(shape, dtype=np.float32), np.zeros(shape, dtype=bool)
            for wall in under[len(self._under) if more else 0 :]:
                paint(wall, self._speed, self._soaks)
            self._under = under
        speed, soaks = self._speed.copy(), self._soaks.copy()
        for wall in last:
            paint(wall, speed, soaks)
        if self._sponge_of != (boundaries, shape, cell):
            self._sponge_of, self._sponge = (boundaries, shape, cell), sponge(boundaries, shape, cell)
        damping = self._sponge.copy()
        damping[soaks] = SOAKS
        return Medium(speed, damping)


def _same(first: tuple[Shape, ...], second: tuple[Shape, ...]) -> bool:
    """Whether both hold the very same shapes."""
    return len(first) == len(second) and all(a is b for a, b in zip(first, second))


def paint(wall: Shape, speed: NDArray[np.float32], soaks: NDArray[np.bool_]) -> None:
    """Paints one shape over a speed map and the map of absorbing cells, both (height, width)."""
    inside = covered(wall, speed.shape)
    if inside is None:
        return
    rows, columns, mask = inside
    part = speed[rows, columns]
    part[mask] = {"reflecting": 0.0, "slow": max(wall.speed, SLOWEST) ** 2}.get(wall.kind, 1.0)
    soaks[rows, columns][mask] = wall.kind == "absorbing"


def sponge(boundaries: Boundaries, shape: tuple[int, int], cell: float) -> NDArray[np.float32]:
    """The damping of absorbing edges, (height, width) in 1 / world units: from nothing straight up to the edge."""
    height, width = shape
    cells = _sponge_cells(boundaries, width)
    ramps = []
    for count, first, last in ((height, "far", "near"), (width, "left", "right")):
        depth = np.zeros(count)
        place = np.arange(count) + 0.5
        if getattr(boundaries, first) == "absorbing":
            depth = np.maximum(depth, 1.0 - place / cells)
        if getattr(boundaries, last) == "absorbing":
            depth = np.maximum(depth, 1.0 - (count - place) / cells)
        ramps.append((sponge_strength(boundaries, width, cell) * depth).astype(np.float32))
    return np.maximum(ramps[0][:, None], ramps[1][None, :])


def sponge_strength(boundaries: Boundaries, width: int, cell: float) -> float:
    """What the damping of absorbing edges rises to, 1 / world units; 0 when there are none. width: cells."""
    if all(getattr(boundaries, side) != "absorbing" for side in SIDES):
        return 0.0
    return 2.0 * ROUND_TRIP_LOSS / (_sponge_cells(boundaries, width) * cell)


def _sponge_cells(boundaries: Boundaries, width: int) -> float:
    return max(boundaries.sponge * width, 4.0)
