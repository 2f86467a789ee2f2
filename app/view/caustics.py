"""Caustics: the pattern of sunlight that the waves focus on the floor, as a texture over the basin."""

from __future__ import annotations

import moderngl

from .detail import Detail
from .mesh import Mesh
from .release import release_all
from .shader import load_program
from .surface import Surface

# Finer textures are blurred by the size of the sun's disc (SUN_BLUR in the shaders).
MIPMAPS_ABOVE = 450


class Caustics:
    """Projects the water's mesh along the refracted light and adds up its brightness."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = load_program(context, "caustics")
        self._array = context.vertex_array(self._program, [])
        self._make(1)

    def update(self, surface: Surface, detail: Detail) -> None:
        """Paints the pattern for the heights and the sun of this frame; the scene block must be bound."""
        if self.texture.width != detail.caustics:
            release_all(self._context, self._target, self.texture)
            self._make(detail.caustics)
        surface.slopes.use(0)
        self._program["slopes"] = 0
        lines = [min(max(2 * cells, 96), detail.caustics_lines) + 1 for cells in (surface.width, surface.height)]
        self._target.use()
        self._target.clear()
        self._context.enable_only(moderngl.BLEND)
        self._context.blend_func = moderngl.ONE, moderngl.ONE
        Mesh(lines[0], lines[1], 1).draw(self._array)
        self._context.disable(moderngl.BLEND)
        if self.texture.width > MIPMAPS_ABOVE:
            self.texture.build_mipmaps()

    def release(self) -> None:
        release_all(self._context, self._array, self._program, self._target, self.texture)

    def _make(self, resolution: int) -> None:
        self.texture = self._context.texture((resolution, resolution), 1, dtype="f2", alignment=2)
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.texture.repeat_x = self.texture.repeat_y = False
        self._target = self._context.framebuffer([self.texture])
