"""Reads the heights around chosen cells back from the graphics card: enough for picking, at any size of grid."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from .release import release_all
from .shader import draw_plainly, load_program


class PatchReader:
    """Gathers the corners of bilinear patches from a texture of heights."""

    def __init__(self, context: moderngl.Context, heights: moderngl.Texture) -> None:
        self._context = context
        self._heights = heights
        # A ray over the grid crosses every line of cell centres once at the most.
        self._capacity = min(heights.width + heights.height + 4, int(context.info["GL_MAX_TEXTURE_SIZE"]))
        self._cells = context.texture((self._capacity, 1), 2, dtype="i4")
        self._corners = context.texture((self._capacity, 1), 4, dtype="f4")
        self._target = context.framebuffer([self._corners])
        self._program = load_program(context, "gather", vertex="fullscreen")
        self._triangle = context.vertex_array(self._program, [])

    def read(self, columns: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Heights at (column, row), one to the right, one below, and both: (4, N). Waits for the graphics card.

        Cells outside the grid take the nearest one inside.
        """
        count = min(len(columns), self._capacity)
        cells = np.stack([columns[:count], rows[:count]], axis=1).astype(np.int32)
        self._cells.write(cells, viewport=(0, 0, count, 1))
        self._heights.use(0)
        self._cells.use(1)
        self._program["heights"] = 0
        self._program["cells"] = 1
        draw_plainly(self._context, self._target, self._triangle)
        data = self._target.read((0, 0, count, 1), components=4, dtype="f4")
        corners: NDArray[np.float64] = np.frombuffer(data, dtype=np.float32).reshape(count, 4).T.astype(np.float64)
        return corners

    def release(self) -> None:
        release_all(self._context, self._triangle, self._program, self._target, self._corners, self._cells)
