"""Walls, slow water and edges, as a person sets them: immutable shapes on a basin.

Lengths and places are in widths of the basin: x from 0 (left) to 1 (right), y from 0 (far) to height / width (near), so
a scene looks the same on every grid. Later shapes paint over earlier ones; erasing is painting water.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["reflecting", "absorbing", "slow", "water"]
Edge = Literal["reflecting", "fixed", "absorbing", "periodic"]

KINDS: tuple[Kind, ...] = ("reflecting", "absorbing", "slow", "water")
EDGES: tuple[Edge, ...] = ("reflecting", "fixed", "absorbing", "periodic")
SIDES = ("left", "right", "far", "near")

SLOWEST = 0.1
"""The smallest wave speed of slow water, relative to open water."""


@dataclass(frozen=True)
class Boundaries:
    """What each edge of the basin does to a wave, and how wide an absorbing edge is (widths of the basin)."""

    left: Edge = "reflecting"
    right: Edge = "reflecting"
    far: Edge = "reflecting"
    near: Edge = "reflecting"
    sponge: float = 0.15

    def with_edge(self, side: str, edge: Edge) -> Boundaries:
        """A copy with one edge changed. Opposite edges are periodic together: the other one follows."""
        edges = {name: getattr(self, name) for name in SIDES}
        other = {"left": "right", "right": "left", "far": "near", "near": "far"}[side]
        if edge == "periodic":
            edges[other] = edge
        elif edges[other] == "periodic":
            edges[other] = "reflecting"
        edges[side] = edge
        return Boundaries(**edges, sponge=self.sponge)

    def codes(self) -> NDArray[np.int32]:
        """What the kernel reads, shape (4,), for left, right, far, near: 0 reflects, 1 is fixed, 2 wraps, 3 is open."""
        code = {"reflecting": 0, "fixed": 1, "periodic": 2, "absorbing": 3}
        return np.array([code[getattr(self, side)] for side in SIDES], dtype=np.int32)


@dataclass(frozen=True)
class Stroke:
    """The path of a round brush: at least one point; `width` is the brush's diameter."""

    points: tuple[tuple[float, float], ...]
    width: float
    kind: Kind = "reflecting"
    speed: float = 0.5


@dataclass(frozen=True)
class Box:
    """A rectangle between two corners."""

    x0: float
    y0: float
    x1: float
    y1: float
    kind: Kind = "reflecting"
    speed: float = 0.5


@dataclass(frozen=True)
class Disc:
    """A disc, a ring (`hole` above 0), or with `outside` everything but the disc."""

    x: float
    y: float
    radius: float
    hole: float = 0.0
    outside: bool = False
    kind: Kind = "reflecting"
    speed: float = 0.5


@dataclass(frozen=True)
class Polygon:
    """A simple polygon, three corners at least."""

    points: tuple[tuple[float, float], ...]
    kind: Kind = "reflecting"
    speed: float = 0.5


@dataclass(frozen=True)
class Stamp:
    """A picture stretched over the whole basin: `mask` (columns x rows bytes, row-major) is 1 where the wall is."""

    columns: int
    rows: int
    mask: bytes
    kind: Kind = "reflecting"
    speed: float = 0.5


Shape = Stroke | Box | Disc | Polygon | Stamp


def outline(wall: Shape) -> list[tuple[float, float]]:
    """The corners of a shape's outline in order, round ones in short steps; empty where it has none that is simple."""
    if isinstance(wall, Box):
        return [(wall.x0, wall.y0), (wall.x1, wall.y0), (wall.x1, wall.y1), (wall.x0, wall.y1)]
    if isinstance(wall, Polygon):
        return list(wall.points)
    if isinstance(wall, Disc) or (isinstance(wall, Stroke) and len(wall.points) == 1):
        x, y = (wall.x, wall.y) if isinstance(wall, Disc) else wall.points[0]
        radius = wall.radius if isinstance(wall, Disc) else wall.width / 2
        turns = (2 * math.pi * n / 48 for n in range(48))
        return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
    return []
