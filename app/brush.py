"""The brush on the host: the paraboloid of `wave_displace`, for pokes between two replays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

Point = tuple[float, float]


def stamp(fields: Sequence[np.ndarray], x: float, y: float, radius: float, magnitude: float) -> None:
    """Adds magnitude * (1 - d²/radius²) within `radius` cells of (x, y) to each field, in place.

    fields: (height, width) float32 each. Only the cells under the brush are touched.
    """
    height, width = fields[0].shape
    left, right = max(0, math.ceil(x - radius)), min(width - 1, math.floor(x + radius))
    top, bottom = max(0, math.ceil(y - radius)), min(height - 1, math.floor(y + radius))
    if radius <= 0 or left > right or top > bottom:
        return
    dx2 = (np.arange(left, right + 1, dtype=np.float32) - np.float32(x)) ** 2
    dy2 = (np.arange(top, bottom + 1, dtype=np.float32) - np.float32(y)) ** 2
    ratio = (dy2[:, None] + dx2[None, :]) / np.float32(radius * radius)
    bump = np.float32(magnitude) * np.maximum(1.0 - ratio, 0.0)
    for field in fields:
        field[top : bottom + 1, left : right + 1] += bump


def along(start: Point, end: Point, spacing: float) -> Iterator[Point]:
    """Points strictly between the two, at most `spacing` apart, evenly spread."""
    steps = math.ceil(math.dist(start, end) / max(spacing, 1e-3))
    for k in range(1, min(steps, 4096)):
        t = k / steps
        yield (start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]))


class Stroke:
    """Where the brush has been since the last frame, in cells."""

    def __init__(self) -> None:
        self.pressed = False
        self.position: Point | None = None  # where the last frame left the brush; None while it is lifted
        self._points: list[Point] = []

    def move(self, x: float, y: float) -> None:
        """The brush is down at (x, y)."""
        self.pressed = True
        self._points.append((x, y))

    def release(self) -> None:
        """The brush is lifted; where it went since the last frame still counts."""
        self.pressed = False

    def take(self, spacing: float) -> list[Point]:
        """The places of this frame at most `spacing` apart, the last one being the brush's; empty when it did not move.

        A stroke goes on from where the last frame left it, so a fast drag leaves no gaps.
        """
        points, self._points = self._points, []
        places: list[Point] = []
        last = self.position
        for point in points:
            if last is not None:
                places.extend(along(last, point, spacing))
            places.append(point)
            last = point
        self.position = last if self.pressed else None
        return places
