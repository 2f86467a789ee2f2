"""The data view's colour bar over the finished frame, at the right edge: part of every picture of it."""

from __future__ import annotations

import moderngl

from .colorbar import Colorbar
from .colorbar_image import FONT_SIZE, colorbar_image
from .release import release_all
from .shader import load_program

HIGHEST = 24.0
"""Of the colours, in letters' heights; half the frame at most."""


class ColorbarPass:
    """Keeps the picture of the last bar, and makes another one when a number or the place changes."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = load_program(context, "overlay")
        self._quad = context.vertex_array(self._program, [])
        self._texture: moderngl.Texture | None = None
        self._shown: tuple[object, ...] = ()

    def draw(self, bar: Colorbar, size: tuple[int, int], scale: float) -> None:
        """Draws to the bound framebuffer of `size` pixels; nothing where it is too small.

        scale: framebuffer pixels to a logical one.
        """
        height = round(min(0.5 * size[1], HIGHEST * FONT_SIZE * scale))
        if height < 4 * FONT_SIZE * scale or not bar.high > bar.low:
            return
        texture = self._picture(bar, height, scale)
        margin = round(0.5 * FONT_SIZE * scale)
        left, top = size[0] - texture.width - margin, (size[1] - texture.height) // 2
        if left < size[0] // 2:
            return
        x, y = 2 * left / size[0] - 1, 1 - 2 * top / size[1]
        self._program["corner"] = x, y
        self._program["extent"] = 2 * texture.width / size[0], -2 * texture.height / size[1]
        self._program["picture"] = 0
        texture.use(0)
        self._context.enable_only(moderngl.BLEND)
        self._context.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._quad.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self._context.disable(moderngl.BLEND)

    def release(self) -> None:
        release_all(self._context, self._texture, self._quad, self._program)

    def _picture(self, bar: Colorbar, height: int, scale: float) -> moderngl.Texture:
        places = tuple((text, round(height * (bar.high - value) / (bar.high - bar.low))) for value, text in bar.ticks)
        shown = (places, bar.lut.tobytes(), height, scale)
        if self._texture is None or shown != self._shown:
            image = colorbar_image(bar, height, scale)
            if self._texture is not None:
                self._texture.release()
            rows, columns, _ = image.shape
            self._texture = self._context.texture((columns, rows), 4, image.tobytes())
            self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._shown = shown
        return self._texture
