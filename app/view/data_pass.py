"""The data view: heights as colours of a table, contour lines and grid, on a quiet backdrop."""

from __future__ import annotations

import moderngl

from .colorbar import Colorbar, RangeFollower, round_step, ticks
from .colormaps import ENTRIES, lut
from .look import Look
from .mesh import Mesh
from .shader import load_program
from .surface import Surface
from .variants import Variants, bind_textures

UPPER, LOWER = (0.115, 0.130, 0.150), (0.205, 0.222, 0.245)
CONTOURS_IN_RANGE = 16


class DataPass:
    """Draws the surface as data and knows the colour bar that goes with it."""

    def __init__(self, context: moderngl.Context) -> None:
        self._variants = Variants(context, "data")
        self._backdrop_program = load_program(context, "backdrop", vertex="fullscreen")
        self._backdrop_program["upper"] = UPPER
        self._backdrop_program["lower"] = LOWER
        self._backdrop = context.vertex_array(self._backdrop_program, [])
        self._table = context.texture((ENTRIES, 1), 3, alignment=1)
        self._table.repeat_x = self._table.repeat_y = False
        self._table_name = ""
        self._range = RangeFollower()

    def range(self, surface: Surface, look: Look) -> float:
        """Half width of the range of colours for this frame."""
        return self._range.follow(surface.statistics()) if look.auto_range else look.value_range

    @staticmethod
    def contour_interval(reach: float, look: Look) -> float:
        """Height between contour lines; 0 without."""
        return (look.contour_interval or round_step(2 * reach, CONTOURS_IN_RANGE)) if look.contours else 0.0

    @staticmethod
    def colorbar(reach: float, look: Look) -> Colorbar:
        return Colorbar(-reach, reach, ticks(-reach, reach), lut(look.colormap))

    def draw(self, surface: Surface, mesh: Mesh, look: Look) -> None:
        """The scene block must be bound."""
        if self._table_name != look.colormap:
            self._table.write(lut(look.colormap).tobytes(), alignment=1)
            self._table_name = look.colormap
        array = self._variants.array(
            {
                "CONTOURS": look.contours,
                "WIREFRAME": look.wireframe,
                "SHADING": look.shading > 0,
                "OBSTACLES": surface.obstacles is not None,
            }
        )
        bind_textures(array.program, heights=surface.heights, slopes=surface.slopes, colour_table=self._table)
        mesh.draw(array)

    def draw_backdrop(self) -> None:
        self._backdrop.render(vertices=3)

    def release(self) -> None:
        for item in (self._variants, self._backdrop, self._backdrop_program, self._table):
            item.release()
