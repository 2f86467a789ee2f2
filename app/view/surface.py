"""The height surface on the graphics card: the buffer that a simulation fills, and what is derived from it there."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..gl_context import facts
from ..picking import Hit, pick_with
from .patch_reader import PatchReader
from .release import release_all
from .scene_block import Grid
from .shader import draw_plainly
from .statistics import Statistics, StatisticsPass
from .variants import Variants, bind_textures

MIPMAPS_ABOVE = 256


class Surface:
    """Heights of a grid as a buffer (row after row, x fastest) and as textures.

    `height_buffer` may be registered with CUDA and filled there; call `changed` afterwards. `heights` is R32F, one
    texel a cell; `slopes` holds height, dh/dx, dh/dz and the obstacle mask, filtered. `walls` is that mask in main
    memory, another array whenever it changes; None without walls.
    """

    def __init__(self, context: moderngl.Context, width: int, height: int, cell: float) -> None:
        """A still surface of width x height cells of `cell` world units. Raises ValueError when it is too large."""
        limit = int(context.info["GL_MAX_TEXTURE_SIZE"])
        if not (1 <= width <= limit and 1 <= height <= limit):
            raise ValueError(f"surface: {width} x {height} cells were asked for; this OpenGL shows 1 to {limit} a side")
        self.grid = Grid(width, height, cell)
        self._context = context
        self.height_buffer = context.buffer(np.zeros(width * height, np.float32), dynamic=True)
        self.heights = context.texture((width, height), 1, dtype="f4", alignment=4)
        self.heights.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.slopes = context.texture((width, height), 4, dtype="f2")
        # Seen from afar, many cells share a pixel: their mean slope keeps it calm (where making it costs little).
        self.mipmapped = max(width, height) > MIPMAPS_ABOVE and not facts(context).is_software
        self.slopes.filter = (moderngl.LINEAR_MIPMAP_LINEAR if self.mipmapped else moderngl.LINEAR, moderngl.LINEAR)
        for texture in (self.heights, self.slopes):
            texture.repeat_x = texture.repeat_y = False
        self.walls: NDArray[np.uint8] | None = None
        self.obstacles: moderngl.Texture | None = None
        self._slopes_target = context.framebuffer([self.slopes])
        self._derive_variants = Variants(context, "derive", vertex="fullscreen")
        self._statistics = StatisticsPass(context, self.heights)
        self._patches = PatchReader(context, self.heights)
        self.changed()

    @property
    def width(self) -> int:
        return self.grid.columns

    @property
    def height(self) -> int:
        return self.grid.rows

    @property
    def cell(self) -> float:
        return self.grid.cell

    def upload(self, heights: Any) -> None:
        """Takes new heights: any contiguous float32 buffer of width x height values."""
        self.height_buffer.write(heights)
        self.changed()

    def changed(self) -> None:
        """Derives the textures again after `height_buffer` was written. Another framebuffer may be bound afterwards."""
        self.heights.write(self.height_buffer, alignment=4)
        self._derive()
        self._statistics.start()

    def set_walls(self, mask: NDArray[Any] | None) -> None:
        """Cells that are solid: (H, W), anything above zero; None or nothing set removes all. Raises ValueError."""
        if self.obstacles is not None:
            self.obstacles.release()
            self.obstacles = self.walls = None
        if mask is not None:
            if mask.shape != (self.height, self.width):
                shape = (self.height, self.width)
                raise ValueError(f"walls: the mask is {mask.shape}; the grid has (rows, columns) {shape}")
            if np.any(mask):
                self.walls = np.where(np.asarray(mask) > 0, 255, 0).astype(np.uint8)
                self.obstacles = self._context.texture((self.width, self.height), 1, self.walls.tobytes(), alignment=1)
                self.obstacles.build_mipmaps()
                self.obstacles.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
                self.obstacles.repeat_x = self.obstacles.repeat_y = False
        self._derive()

    def read_heights(self) -> NDArray[np.float32]:
        """A copy of the heights, (H, W) float32. Waits for the graphics card."""
        data = np.frombuffer(self.height_buffer.read(), dtype=np.float32)
        return data.reshape(self.height, self.width)

    def pick(self, origin: Any, direction: Any, scale: float = 1.0) -> Hit | None:
        """Where a ray meets the surface, as `whitecap.app.picking.pick` says, of the heights that are drawn.

        Reads back only what lies along the ray, so large grids whose heights live on the card cost little.
        """
        shape = (self.height, self.width)
        return pick_with(self._patches.read, shape, self.cell, np.asarray(origin), np.asarray(direction), scale)

    def extremes(self) -> tuple[float, float]:
        """Least and greatest height, not finite once a height is not. Waits for the graphics card."""
        statistics = self._statistics.read_newest()
        return statistics.low, statistics.high

    def statistics(self) -> Statistics:
        """Extremes and root mean square of the last change but one, without waiting."""
        return self._statistics.read()

    def release(self) -> None:
        """Gives everything back; the surface can't be used afterwards."""
        self._statistics.release()
        self._patches.release()
        release_all(
            self._context,
            self._derive_variants,
            self._slopes_target,
            self.obstacles,
            self.slopes,
            self.heights,
            self.height_buffer,
        )

    def _derive(self) -> None:
        triangle = self._derive_variants.array({"OBSTACLES": self.obstacles is not None})
        bind_textures(triangle.program, heights=self.heights, obstacles=self.obstacles or self.heights)
        triangle.program["cell"] = self.cell
        draw_plainly(self._context, self._slopes_target, triangle)
        if self.mipmapped:
            self.slopes.build_mipmaps()
