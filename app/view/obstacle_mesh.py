"""Where the mesh of the walls is: two lines of vertices a cell and a side, quads only around solid cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]


def coarser(solid: Mask, most: int) -> tuple[Mask, int]:
    """The mask with at most `most` cells a side, and how many cells are one there: solid where any of them is.

    solid: (H, W), above zero where a cell is solid. A wall one cell wide stays a wall.
    """
    stride = max(1, math.ceil(max(solid.shape) / most))
    if stride == 1:
        return solid, 1
    rows, columns = (math.ceil(side / stride) for side in solid.shape)
    whole = np.zeros((rows * stride, columns * stride), np.uint8)
    whole[: solid.shape[0], : solid.shape[1]] = solid
    strips = whole.reshape(rows, stride, columns * stride).max(axis=1)
    mask: Mask = strips.reshape(rows, columns, stride).max(axis=2)
    return mask, stride


def quads(solid: Mask) -> NDArray[np.uint32]:
    """Vertex numbers of the triangles, (N, 6), for quads of a cell that is solid or has a solid neighbour.

    Vertices are numbered row by row on a lattice with two lines a cell: (2 H, 2 W). A quad is split along the wall's
    edge, not across it, which would make teeth.
    """
    near = _on_lattice(_around(solid > 0, np.logical_or))
    rows, columns = np.nonzero(near[:-1, :-1] | near[1:, :-1] | near[:-1, 1:] | near[1:, 1:])
    width = near.shape[1]
    first = (rows * width + columns).astype(np.uint32)
    slant = _on_lattice(_slant(solid))
    corners = [slant[rows + down, columns + right] for down in (0, 1) for right in (0, 1)]
    falling = np.sum(corners, axis=0) < 0
    ways = np.array([[0, width, 1, 1, width, width + 1], [0, width, width + 1, 0, width + 1, 1]], np.uint32)
    triangles: NDArray[np.uint32] = first[:, None] + ways[falling.astype(np.intp)]
    return triangles


def _slant(solid: Mask) -> NDArray[np.int8]:
    """Which way edges run near each cell: below zero where they go down to the right, above where they go up."""
    level = np.pad((solid > 0).astype(np.int8), 1, mode="edge")
    across = level[1:-1, 2:] - level[1:-1, :-2]
    along = level[2:, 1:-1] - level[:-2, 1:-1]
    return _around(across * along, np.add)


def _on_lattice(values: NDArray[Any]) -> NDArray[Any]:
    """A cell's value for each of its four vertices."""
    vertices: NDArray[Any] = np.repeat(np.repeat(values, 2, axis=0), 2, axis=1)
    return vertices


def _around(values: NDArray[Any], join: np.ufunc) -> NDArray[Any]:
    """Every cell's value joined with those of its eight neighbours."""
    tall = values.copy()
    join(tall[1:], values[:-1], out=tall[1:])
    join(tall[:-1], values[1:], out=tall[:-1])
    wide: NDArray[Any] = tall.copy()
    join(wide[:, 1:], tall[:, :-1], out=wide[:, 1:])
    join(wide[:, :-1], tall[:, 1:], out=wide[:, :-1])
    return wide
