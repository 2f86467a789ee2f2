"""The surface's mesh as strips without vertex data: how many lines it has, and how to draw it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import moderngl

from .scene_block import Grid


@dataclass(frozen=True)
class Mesh:
    """Lines of vertices along x and y; every `stride`-th cell has one, and both borders have one."""

    columns: int
    rows: int
    stride: int

    @staticmethod
    def of(grid: Grid, most: int) -> Mesh:
        """A mesh with about `most` lines a side at the most; slopes stay those of every cell."""
        stride = max(1, math.ceil(max(grid.columns, grid.rows) / most))
        return Mesh(_lines(grid.columns, stride), _lines(grid.rows, stride), stride)

    def draw(self, array: moderngl.VertexArray) -> None:
        """One instance a strip of quads; the vertex shader finds its place from the ids."""
        array.program["lines"] = (self.columns, self.rows)
        if "stride" in array.program:
            array.program["stride"] = self.stride
        array.render(moderngl.TRIANGLE_STRIP, vertices=2 * self.columns, instances=self.rows - 1)


def _lines(cells: int, stride: int) -> int:
    return math.ceil((cells - 1) / stride) + 3
