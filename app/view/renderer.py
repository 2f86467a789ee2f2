"""One frame of the scene: the passes in order, into any framebuffer, at any size."""

from __future__ import annotations

from dataclasses import replace

import moderngl

from ..camera import Camera
from ..gl_context import facts
from .basin_pass import BasinPass
from .caustics import Caustics
from .colorbar import Colorbar
from .data_pass import DataPass
from .frame_target import FrameTarget
from .look import Look
from .materials import tile_texture
from .mesh import Mesh
from .obstacle_pass import ObstaclePass
from .quality import Quality, Rung
from .release import release_all
from .scene_block import Basin, Grid, Hover, SceneBlock
from .sky import Daylight, Sky
from .surface import Surface
from .timer import DrawTimer
from .water_pass import WaterPass

__all__ = ["Basin", "Grid", "Hover", "Renderer"]

# Sizes for a graphics card, and for a software rasteriser.
_SKY = (1024, 512)
_CAUSTICS = (1024, 384)
_CAUSTICS_MESH = (512, 144)
_MESH = (1024, 256)
_FULL = Rung("")


class Renderer:
    """Draws surfaces. Keeps no reference to them; one renderer serves any number of sizes."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._software = facts(context).is_software
        kind = int(self._software)
        self._mesh_lines = _MESH[kind]
        self._block = SceneBlock(context)
        self._tiles = tile_texture(context)
        self._sky = Sky(context, _SKY[kind])
        self._caustics = Caustics(context, _CAUSTICS[kind], _CAUSTICS_MESH[kind])
        self._basin = BasinPass(context)
        self._water = WaterPass(context)
        self._obstacles = ObstaclePass(context)
        self._data = DataPass(context)
        self._frame = FrameTarget(context)
        self._timer = DrawTimer(context, self._software)
        self._quality = Quality()
        # No software rasteriser is fast enough for multisampling at common sizes: begin without.
        self._quality.reset(1)
        self._colorbar: Colorbar | None = None
        self._adapts = False

    @property
    def colorbar(self) -> Colorbar | None:
        """The colour bar of the last frame; None when it showed water."""
        return self._colorbar

    @property
    def degraded(self) -> list[str]:
        """What the last frame left out to stay fluent, for a person; empty when everything is drawn."""
        return self._quality.dropped if self._adapts else []

    @property
    def draw_seconds(self) -> float | None:
        """Time of a recent frame's drawing (the graphics card's own where there is one); None before the first."""
        return self._timer.seconds

    def draw(
        self,
        surface: Surface,
        camera: Camera,
        look: Look,
        size: tuple[int, int],
        target: moderngl.Framebuffer,
        hover: Hover | None = None,
    ) -> None:
        """Draws one frame into `target` and leaves it bound. size: framebuffer pixels; an empty one draws nothing."""
        if size[0] < 1 or size[1] < 1:
            return
        self._adapts = self._software and look.auto_quality
        rung = self._quality.rung if self._adapts else _FULL
        with self._timer:
            self._draw(surface, camera, look, size, target, hover, rung)
        if self._adapts and self._timer.seconds is not None:
            self._quality.observe(self._timer.seconds)

    def release(self) -> None:
        """Gives every OpenGL object back."""
        release_all(
            self._context,
            self._timer,
            self._frame,
            self._data,
            self._obstacles,
            self._water,
            self._basin,
            self._caustics,
            self._sky,
            self._tiles,
            self._block,
        )

    def _draw(
        self,
        surface: Surface,
        camera: Camera,
        look: Look,
        size: tuple[int, int],
        target: moderngl.Framebuffer,
        hover: Hover | None,
        rung: Rung,
    ) -> None:
        grid = surface.grid
        basin = Basin.around(grid, look)
        daylight = Daylight.of(look)
        inner = self._frame.begin(size, target, look.samples if rung.samples else 0, rung.resolution)
        self._block.write(grid, basin, camera, look, daylight, inner, hover)
        mesh = Mesh.of(grid, self._mesh_lines)
        if look.mode == "data":
            self._draw_data(surface, mesh, look, basin)
        else:
            self._draw_water(
                surface, mesh, camera, look if rung.caustics else replace(look, caustics=False), rung, basin
            )
        self._context.disable(moderngl.DEPTH_TEST)
        self._frame.finish()

    def _draw_water(self, surface: Surface, mesh: Mesh, camera: Camera, look: Look, rung: Rung, basin: Basin) -> None:
        self._colorbar = None
        self._sky.bake(Daylight.of(look), look)
        if look.caustics:
            self._caustics.update(surface)
        self._basin.build(basin, surface.grid)
        textures = {"sky_map": self._sky.map, "tiles": self._tiles, "caustics": self._caustics.texture}
        height = float(camera.eye[1])
        below = height < 4 * basin.rim
        self._begin_scene()
        # From front to back, so that what is hidden costs nothing.
        if look.walls and height > basin.rim:
            self._basin.draw_deck(basin, self._sky.map)
        self._obstacles.draw(surface, -basin.floor, 0.9 * basin.rim, False, self._mesh_lines)
        self._water.draw(surface, mesh, look, rung.smooth, below, textures)
        if look.walls:
            self._basin.draw_inside(surface, look.caustics, textures)
        self._sky.draw()

    def _draw_data(self, surface: Surface, mesh: Mesh, look: Look, basin: Basin) -> None:
        reach = self._data.range(surface, look)
        self._colorbar = self._data.colorbar(reach, look)
        self._block.write_data(-reach, reach, self._data.contour_interval(reach, look), look)
        self._begin_scene()
        self._obstacles.draw(surface, -0.5 * basin.rim, 0.9 * basin.rim, True, self._mesh_lines)
        self._data.draw(surface, mesh, look)
        self._data.draw_backdrop()

    def _begin_scene(self) -> None:
        self._frame.bind()
        self._context.enable_only(moderngl.DEPTH_TEST)
        self._context.depth_func = "<="
