"""Which cells of a grid a shape covers: those whose centres lie in it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .walls import Box, Disc, Polygon, Shape, Stamp, Stroke


def covered(wall: Shape, shape: tuple[int, ...]) -> tuple[slice, slice, NDArray[np.bool_]] | None:
    """The cells that a shape covers: rows, columns and a mask of that part; None when it lies outside the grid."""
    height, width = shape[:2]
    if isinstance(wall, Stamp):
        picture = np.frombuffer(wall.mask, dtype=np.uint8).reshape(wall.rows, wall.columns) != 0
        rows = np.minimum((np.arange(height) + 0.5) * wall.rows / height, wall.rows - 1).astype(int)
        columns = np.minimum((np.arange(width) + 0.5) * wall.columns / width, wall.columns - 1).astype(int)
        return slice(0, height), slice(0, width), picture[rows[:, None], columns[None, :]]
    x0, y0, x1, y1 = _extent(wall)
    left, right = _span(x0, x1, width, width)
    top, bottom = _span(y0, y1, width, height)
    if left >= right or top >= bottom:
        return None
    x = ((np.arange(left, right) + 0.5) / width)[None, :]
    y = ((np.arange(top, bottom) + 0.5) / width)[:, None]
    return slice(top, bottom), slice(left, right), _inside(wall, x, y, 0.5 / width)


def _extent(wall: Shape) -> tuple[float, float, float, float]:
    if isinstance(wall, Box):
        return min(wall.x0, wall.x1), min(wall.y0, wall.y1), max(wall.x0, wall.x1), max(wall.y0, wall.y1)
    if isinstance(wall, Disc):
        reach = math.inf if wall.outside else wall.radius
        return wall.x - reach, wall.y - reach, wall.x + reach, wall.y + reach
    assert isinstance(wall, (Stroke, Polygon))
    margin = wall.width / 2 if isinstance(wall, Stroke) else 0.0
    xs, ys = zip(*wall.points)
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def _span(low: float, high: float, width: int, count: int) -> tuple[int, int]:
    """Cells from low to high, one more at each side, held to the grid."""
    first = max(min(low * width - 1, count), 0)
    last = max(min(high * width + 1, count), 0)
    return int(first), math.ceil(last)


def _inside(wall: Shape, x: NDArray[np.float64], y: NDArray[np.float64], half: float) -> NDArray[np.bool_]:
    if isinstance(wall, Box):
        return (np.abs(x - (wall.x0 + wall.x1) / 2) <= abs(wall.x1 - wall.x0) / 2) & (
            np.abs(y - (wall.y0 + wall.y1) / 2) <= abs(wall.y1 - wall.y0) / 2
        )
    if isinstance(wall, Disc):
        squared = (x - wall.x) ** 2 + (y - wall.y) ** 2
        disc = squared <= wall.radius**2
        if wall.outside:
            return ~disc
        return disc & (squared >= wall.hole**2) if wall.hole > 0 else disc
    if isinstance(wall, Polygon):
        return _in_polygon(wall.points, x, y)
    assert isinstance(wall, Stroke)
    return _on_stroke(wall, x, y, half)


def _on_stroke(wall: Stroke, x: NDArray[np.float64], y: NDArray[np.float64], half: float) -> NDArray[np.bool_]:
    """half: half of a cell's edge. Each segment looks only at the cells around it: strokes are long and thin."""
    # A brush thinner than a cell would miss every centre: it paints the cells it passes through.
    reach = max(wall.width / 2, half * 1.01)
    mask = np.zeros((y.shape[0], x.shape[1]), dtype=bool)
    for start, end in zip(wall.points, wall.points[1:] or wall.points):
        columns = _around(x[0], start[0], end[0], reach)
        rows = _around(y[:, 0], start[1], end[1], reach)
        mask[rows, columns] |= distance_squared(x[:, columns], y[rows], start, end) <= reach**2
    return mask


def _around(places: NDArray[np.float64], start: float, end: float, reach: float) -> slice:
    """The part of rising places within reach of an interval."""
    first = np.searchsorted(places, min(start, end) - reach)
    last = np.searchsorted(places, max(start, end) + reach, side="right")
    return slice(int(first), int(last))


def distance_squared(
    x: NDArray[np.float64], y: NDArray[np.float64], start: tuple[float, float], end: tuple[float, float]
) -> NDArray[np.float64]:
    """Square of the distance of points to the segment from `start` to `end`; a segment may be a point."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = np.clip(((x - start[0]) * dx + (y - start[1]) * dy) / length, 0.0, 1.0) if length > 0 else 0.0
    return (x - start[0] - along * dx) ** 2 + (y - start[1] - along * dy) ** 2


def _in_polygon(
    points: tuple[tuple[float, float], ...], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Even-odd rule: how often a ray to the right crosses the outline."""
    inside = np.zeros((y.shape[0], x.shape[1]), dtype=bool)
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
        if ay != by:
            crosses = (ay > y) != (by > y)
            inside ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside
