"""Sun and sky: the light of the day from the sun's place, the baked sky map, and the background pass."""

from __future__ import annotations

import math
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from .detail import Detail
from .look import Look
from .release import release_all
from .shader import draw_plainly, load_program

Colour = NDArray[np.float64]

# (elevation in degrees, zenith, haze, sun, glow), linear light; between them the values are mixed.
_Row = tuple[float, tuple[float, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]
_DAY: tuple[_Row, ...] = (
    (5.0, (0.12, 0.18, 0.42), (1.00, 0.55, 0.34), (2.60, 1.15, 0.46), (2.00, 0.85, 0.30)),
    (18.0, (0.08, 0.20, 0.55), (0.75, 0.72, 0.70), (3.20, 2.45, 1.65), (1.00, 0.72, 0.42)),
    (40.0, (0.050, 0.19, 0.58), (0.52, 0.69, 0.90), (3.30, 3.00, 2.55), (0.50, 0.46, 0.38)),
    (90.0, (0.045, 0.18, 0.58), (0.48, 0.67, 0.92), (3.40, 3.15, 2.80), (0.45, 0.43, 0.38)),
)


@dataclass(frozen=True)
class Daylight:
    """The light of one moment: unit vector to the sun, and linear colours."""

    direction: Colour
    zenith: Colour
    haze: Colour
    sun: Colour
    glow: Colour
    exposure: float

    @property
    def sky(self) -> Colour:
        """Light from the whole sky on a level plane."""
        blue = 0.45 * self.zenith + 0.55 * self.haze
        # Bright ground throws some of the sun's light back up, which takes the blue out of the shade.
        return blue + 0.045 * self.sun

    @staticmethod
    def of(look: Look) -> Daylight:
        """The daylight for the sun's place in `look`."""
        azimuth, elevation = math.radians(look.sun_azimuth), math.radians(look.sun_elevation)
        direction = np.array(
            [math.sin(azimuth) * math.cos(elevation), math.sin(elevation), math.cos(azimuth) * math.cos(elevation)]
        )
        steps = [row[0] for row in _DAY]
        # (rows, part, channel) -> (part, channel) at this elevation
        colours = np.array([row[1:] for row in _DAY])
        zenith, haze, sun, glow = (
            np.array([np.interp(look.sun_elevation, steps, colours[:, part, channel]) for channel in range(3)])
            for part in range(4)
        )
        return Daylight(direction, zenith, haze, sun, glow, exposure=0.74)


class Sky:
    """The sky map (rebaked when the sun moves) and the pass that draws it behind everything."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._make(1)
        self._bake_program = load_program(context, "sky_bake", vertex="fullscreen")
        self._program = load_program(context, "background", vertex="fullscreen")
        self._bake_triangle = context.vertex_array(self._bake_program, [])
        self._triangle = context.vertex_array(self._program, [])
        self._baked: tuple[object, ...] | None = None

    def bake(self, daylight: Daylight, look: Look, detail: Detail) -> None:
        """Paints the map if the sun, the clouds or the layer changed. Binds another framebuffer when it does."""
        wanted = (look.sky, look.sun_azimuth, look.sun_elevation, look.clouds, detail.sky)
        if wanted == self._baked:
            return
        if self.map.width != detail.sky:
            release_all(self._context, self._framebuffer, self.map)
            self._make(detail.sky)
        program = self._bake_program
        even = 0.35 * daylight.zenith + 0.65 * daylight.haze
        program["zenith"] = tuple(daylight.zenith if look.sky else even)
        program["haze"] = tuple(daylight.haze if look.sky else even)
        program["glow"] = tuple(daylight.glow) if look.sky else (0.0, 0.0, 0.0)
        program["sun_direction"] = tuple(daylight.direction)
        program["clouds"] = look.clouds if look.sky else 0.0
        draw_plainly(self._context, self._framebuffer, self._bake_triangle)
        self.map.build_mipmaps()
        self._baked = wanted

    def draw(self) -> None:
        """Fills what nothing else has covered (depth test: less or equal)."""
        self.map.use(0)
        self._program["sky_map"] = 0
        self._triangle.render(vertices=3)

    def release(self) -> None:
        release_all(
            self._context,
            self._triangle,
            self._bake_triangle,
            self._program,
            self._bake_program,
            self._framebuffer,
            self.map,
        )

    def _make(self, resolution: int) -> None:
        self.map = self._context.texture((resolution, resolution), 4, dtype="f2")
        self.map.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        self.map.repeat_x = self.map.repeat_y = False
        self._framebuffer = self._context.framebuffer([self.map])
