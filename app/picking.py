"""Where a ray meets the height surface: the cell under the cursor, exactly as it is drawn.

The surface is one bilinear patch between each four neighbouring cell centres, continued level from the outermost
centres to the border of the grid. Along a ray a patch is a quadratic, so every patch that the ray crosses is solved
exactly, all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hit:
    """Where a ray meets the surface.

    cell: (x, y) in cells, (0, 0) is the centre of the first one; within [-0.5, width - 0.5] x [-0.5, height - 0.5].
    point: world position. distance: from the origin, in lengths of the direction.
    """

    cell: tuple[float, float]
    point: tuple[float, float, float]
    distance: float


# (columns, rows) of patches' first corners -> heights of their four corners, (4, N).
CornerReader = Callable[[NDArray[np.intp], NDArray[np.intp]], Floats]


def pick(
    heights: NDArray[np.float32], cell: float, origin: Floats, direction: Floats, scale: float = 1.0
) -> Hit | None:
    """The nearest point at which the ray from `origin` along `direction` meets the surface, or None.

    heights: (H, W), world units. cell: size of a cell. scale: what the drawn heights are multiplied by.
    Patches with a NaN or an infinity are holes.
    """

    def corners(columns: NDArray[np.intp], rows: NDArray[np.intp]) -> Floats:
        last_row, last_column = heights.shape[0] - 1, heights.shape[1] - 1
        left, right = columns.clip(0, last_column), (columns + 1).clip(0, last_column)
        upper, lower = rows.clip(0, last_row) * heights.shape[1], (rows + 1).clip(0, last_row) * heights.shape[1]
        places = np.stack((upper + left, upper + right, lower + left, lower + right))
        return heights.reshape(-1).take(places).astype(np.float64)

    return pick_with(corners, heights.shape, cell, origin, direction, scale)


def pick_with(
    corners: CornerReader,
    shape: tuple[int, ...],
    cell: float,
    origin: Floats,
    direction: Floats,
    scale: float = 1.0,
) -> Hit | None:
    """As `pick`, with heights that are read only where the ray passes. shape: (H, W)."""
    rows, columns = shape
    start = np.array([origin[0] / cell + (columns - 1) / 2, origin[2] / cell + (rows - 1) / 2])
    step = np.array([direction[0], direction[2]], dtype=np.float64) / cell
    span = _clip(start, step, (columns, rows))
    if span is None:
        return None
    if abs(step[0]) + abs(step[1]) < 1e-12:
        return _pick_straight_down(_Patches(corners, start[None, :]), origin, direction, scale, start)

    breaks = _crossings(start, step, span)
    crossed = _Patches(corners, start + 0.5 * np.outer(breaks[:-1] + breaks[1:], step))

    def clearance(along: Floats) -> Floats:
        """Height of the ray above the patches."""
        surface = crossed.height(start[0] + along * step[0], start[1] + along * step[1])
        gap: Floats = origin[1] + along * direction[1] - scale * surface
        return gap

    with np.errstate(all="ignore"):
        # Both ends and the middle of each piece: three values fix the quadratic.
        ends = clearance(breaks[:-1]), clearance(0.5 * (breaks[:-1] + breaks[1:])), clearance(breaks[1:])
        along = _first_root(breaks, *ends)
    return None if along is None else _hit(along, origin, direction, start + along * step)


def _hit(along: float, origin: Floats, direction: Floats, cell: Floats) -> Hit:
    x, y, z = (float(origin[axis] + along * direction[axis]) for axis in range(3))
    return Hit((float(cell[0]), float(cell[1])), (x, y, z), along)


def _pick_straight_down(patch: _Patches, origin: Floats, direction: Floats, scale: float, start: Floats) -> Hit | None:
    """A vertical ray stays over one point."""
    height = scale * float(patch.height(start[0], start[1])[0])
    if direction[1] == 0 or not np.isfinite(height):
        return None
    along = float((height - origin[1]) / direction[1])
    return _hit(along, origin, direction, start) if along >= 0 else None


def _clip(start: Floats, step: Floats, size: tuple[int, int]) -> tuple[float, float] | None:
    """The part [from, to] of the ray, from its origin on, that is over the grid."""
    begin, end = 0.0, np.inf
    for axis in range(2):
        low, high = -0.5 - start[axis], size[axis] - 0.5 - start[axis]
        if abs(step[axis]) < 1e-12:
            if low > 0 or high < 0:
                return None
            continue
        a, b = sorted((low / step[axis], high / step[axis]))
        begin, end = max(begin, a), min(end, b)
    return (begin, end) if begin <= end else None


def _crossings(start: Floats, step: Floats, span: tuple[float, float]) -> Floats:
    """Ascending ray parameters of the span's ends and of every line of cell centres crossed in between."""
    parts = [np.array(span)]
    for axis in range(2):
        if abs(step[axis]) < 1e-12:
            continue
        a, b = sorted(start[axis] + along * step[axis] for along in span)
        lines = np.arange(np.ceil(a), np.floor(b) + 1)
        parts.append((lines - start[axis]) / step[axis])
    breaks: Floats = np.clip(np.concatenate(parts), *span)
    breaks.sort()
    return breaks


class _Patches:
    """The bilinear patches under some points (N, 2), each with its four corners."""

    def __init__(self, corners: CornerReader, points: Floats) -> None:
        self._column, self._row = np.floor(points[:, 0]), np.floor(points[:, 1])
        self._corners = corners(self._column.astype(np.intp), self._row.astype(np.intp))

    def height(self, x: Floats, y: Floats) -> Floats:
        """Height of each patch at (x, y)."""
        u, v = x - self._column, y - self._row
        a, b, c, d = self._corners
        height: Floats = (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v
        return height


def _first_root(breaks: Floats, first: Floats, middle: Floats, last: Floats) -> float | None:
    """The smallest parameter at which the clearance is zero; pieces are quadratics through three values."""
    # c(s) = first + s * slope + s^2 * bend over s in 0..1
    bend = 2 * (first - 2 * middle + last)
    slope = last - first - bend
    # Only pieces whose ends differ in sign, or whose vertex lies inside, can hold a root.
    vertex = -slope / (2 * bend)
    dips = (vertex > 0) & (vertex < 1) & ((first + 0.5 * slope * vertex) * first <= 0)
    candidates = np.flatnonzero((first * last <= 0) | dips)
    for piece in candidates:
        s = _root(float(bend[piece]), float(slope[piece]), float(first[piece]))
        if s is not None:
            return float(breaks[piece] + s * (breaks[piece + 1] - breaks[piece]))
    return None


def _root(bend: float, slope: float, constant: float) -> float | None:
    """Smallest root of bend s^2 + slope s + constant in 0..1."""
    if constant == 0:
        return 0.0
    discriminant = max(slope * slope - 4 * bend * constant, 0.0)
    q = -0.5 * (slope + (discriminant**0.5 if slope >= 0 else -(discriminant**0.5)))
    roots = [constant / q] if q else []
    if bend:
        roots.append(q / bend)
    slack = 1e-9
    inside = [min(max(root, 0.0), 1.0) for root in roots if -slack <= root <= 1 + slack]
    return min(inside, default=None)
