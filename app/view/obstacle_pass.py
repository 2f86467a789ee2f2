"""Wall cells as raised solid material."""

from __future__ import annotations

import moderngl

from .detail import Detail
from .mesh import Mesh
from .shader import load_program
from .surface import Surface


class ObstaclePass:
    """Draws the obstacle mask of a surface, if it has one, as a second height surface."""

    def __init__(self, context: moderngl.Context) -> None:
        self._program = load_program(context, "obstacle")
        self._array = context.vertex_array(self._program, [])

    def draw(self, surface: Surface, bottom: float, top: float, plain: bool, detail: Detail) -> None:
        """bottom, top: world heights that the solid reaches from and to. plain: grey, for the data view."""
        if surface.obstacles is None:
            return
        surface.slopes.use(0)
        self._program["slopes"] = 0
        self._program["bottom"] = bottom
        self._program["top"] = top
        self._program["plain"] = plain
        lines = [min(2 * cells, detail.surface_lines) + 1 for cells in (surface.width, surface.height)]
        Mesh(lines[0], lines[1], 1).draw(self._array)

    def release(self) -> None:
        self._array.release()
        self._program.release()
