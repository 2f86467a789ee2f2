"""Walls and slow water: a list of shapes, and the medium that they paint on a grid.

Lengths and places are in widths of the basin: x from 0 (left) to 1 (right), y from 0 (far) to height / width (near), so
a scene looks the same on every grid. Later shapes paint over earlier ones; erasing is painting water.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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

ROUND_TRIP_LOSS = 2.5
"""Natural logarithm of what a sponge takes from a wave there and back. The edge behind it lets most of the rest out, so
more would only reflect long waves earlier."""

SOAKS = -1.0
"""In the damping map: an absorbing wall. Its cells follow the water beside them as a wave that runs out does."""


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


def mask_to_runs(mask: NDArray[np.bool_]) -> list[str]:
    """Rows of a mask as text, "5 3 8": cells of water, of wall, of water, ...; equal rows in a row as "4* 5 3 8"."""
    lines: list[str] = []
    counts: list[int] = []
    for row in mask:
        edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(np.int8)))
        runs = np.diff(np.concatenate(([0], edges, [len(row)])))
        if len(runs) > 1 and runs[-1] == 0:
            runs = runs[:-1]
        line = " ".join(map(str, runs))
        if lines and lines[-1] == line:
            counts[-1] += 1
        else:
            lines.append(line)
            counts.append(1)
    return [line if count == 1 else f"{count}* {line}" for line, count in zip(lines, counts)]


def runs_to_mask(lines: Iterable[str], columns: int, rows: int) -> NDArray[np.bool_]:
    """The inverse of `mask_to_runs`. Raises ValueError, saying which line is wrong and what is needed."""
    mask = np.zeros((rows, columns), dtype=bool)
    row = 0
    for number, line in enumerate(lines, 1):
        head, star, tail = line.partition("*")
        words = (tail if star else head).split()
        if not all(word.isdecimal() for word in words) or (star and not head.strip().isdecimal()):
            raise ValueError(f"line {number} {line[:40]!r}: only whole numbers, and `count*` in front, are allowed")
        count = int(head) if star else 1
        ends = np.cumsum([int(word[:9]) for word in words] or [0])
        if ends[-1] != columns:
            raise ValueError(f"line {number}: its runs add up to {ends[-1]}, but a row has {columns} columns")
        if row + count > rows:
            raise ValueError(f"line {number}: more than {rows} rows")
        for start, end in zip(ends[0::2], ends[1::2]):
            mask[row : row + count, start:end] = True
        row += count
    if row != rows:
        raise ValueError(f"{row} rows are given, {rows} are needed")
    return mask


def stamp_from_image(path: str, kind: Kind = "reflecting", largest: int = 1024) -> Stamp:
    """A picture file as walls: dark or opaque pixels are wall. Pictures above `largest` pixels a side are shrunk.

    Raises UserError, naming the file, when it can't be read or has no dark part.
    """
    from PIL import Image, UnidentifiedImageError

    from ..errors import UserError, os_error_line

    try:
        with Image.open(path) as image:
            image.thumbnail((largest, largest))
            rgba = np.asarray(image.convert("RGBA"), dtype=np.float32)
    except UnidentifiedImageError as error:
        raise UserError(f"{path}: not a picture that can be read; PNG, JPEG, BMP, GIF or WebP is needed") from error
    except OSError as error:
        raise UserError(f"walls from a picture: {os_error_line(error)}") from error
    except (Image.DecompressionBombError, ValueError) as error:
        raise UserError(f"{path}: the picture is too large or broken ({error})") from error
    grey = rgba[..., :3].mean(axis=2)
    clear = rgba[..., 3] < 128
    # A picture drawn on transparent ground shows its walls by opacity, any other one by darkness.
    wall = ~clear if clear.any() else grey < 128
    if not wall.any():
        raise UserError(f"{path}: no pixel is dark (or, on transparent ground, opaque): nothing becomes a wall")
    return Stamp(wall.shape[1], wall.shape[0], wall.astype(np.uint8).tobytes(), kind)
