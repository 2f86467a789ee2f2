"""Wall cells as raised solid material."""

from __future__ import annotations

import moderngl

from .detail import Detail
from .obstacle_mesh import Mask, coarser, quads
from .release import release_all
from .shader import load_program
from .surface import Surface
from .variants import bind_textures


class ObstaclePass:
    """Draws the walls of a surface, if it has some, as a second height surface: first `build`, then `draw`."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = load_program(context, "obstacle")
        self._built: tuple[Mask | None, int] | None = None
        self._mask: moderngl.Texture | None = None
        self._indices: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None

    def build(self, surface: Surface, detail: Detail) -> None:
        """Makes the mesh of the surface's walls unless it is there already. Binds another framebuffer."""
        walls, most = surface.walls, detail.surface_lines
        if self._built is not None and self._built[0] is walls and self._built[1] == most:
            return
        self._drop()
        self._built = (walls, most)
        if walls is None:
            return
        mask, stride = coarser(walls, most)
        rows, columns = mask.shape
        self._mask = self._context.texture((columns, rows), 1, mask.tobytes(), alignment=1)
        self._indices = self._context.buffer(quads(mask).tobytes())
        self._array = self._context.vertex_array(self._program, [], index_buffer=self._indices)
        self._program["stride"] = stride

    def draw(self, surface: Surface, bottom: float, top: float, plain: bool) -> None:
        """bottom, top: world heights that the solid reaches from and to. plain: grey, for the data view."""
        if self._array is None or self._mask is None:
            return
        bind_textures(self._program, slopes=surface.slopes, walls=self._mask)
        self._program["bottom"] = bottom
        self._program["top"] = top
        self._program["plain"] = plain
        self._array.render(moderngl.TRIANGLES)

    def release(self) -> None:
        self._drop()
        self._program.release()

    def _drop(self) -> None:
        release_all(self._context, self._array, self._indices, self._mask)
        self._array = self._indices = self._mask = None
