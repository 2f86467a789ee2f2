"""One frame of the scene: the passes in order, into any framebuffer, at any size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import moderngl

from ..camera import Camera
from ..gl_context import facts
from .basin_pass import BasinPass
from .caustics import Caustics
from .colorbar import Colorbar
from .colorbar_pass import ColorbarPass
from .data_pass import DataPass
from .detail import CARD, FLUENT, STILL, Detail
from .frame_target import FrameTarget
from .look import Look
from .materials import tile_texture
from .mesh import Mesh
from .obstacle_pass import ObstaclePass
from .quality import Quality, Rung
from .release import release_all
from .scene_block import Basin, Hover, SceneBlock
from .sky import Daylight, Sky
from .surface import Surface
from .timer import DrawTimer
from .water_pass import WaterPass

_FULL = Rung("")
# In heights of the rim: how far obstacles stand out, and below which the eye may look at waves from underneath.
OBSTACLE_TOP = 0.9
BELOW = 4.0


@dataclass(frozen=True)
class Frame:
    """What one frame shows, and how finely. The look is without the layers that the rung drops."""

    surface: Surface
    camera: Camera
    look: Look
    rung: Rung
    detail: Detail
    basin: Basin
    mesh: Mesh
    daylight: Daylight

    @staticmethod
    def of(surface: Surface, camera: Camera, look: Look, rung: Rung, detail: Detail) -> Frame:
        shown = look if rung.caustics else replace(look, caustics=False)
        mesh = Mesh.of(surface.grid, detail.surface_lines)
        return Frame(surface, camera, shown, rung, detail, Basin.around(surface.grid, look), mesh, Daylight.of(look))


class Renderer:
    """Draws surfaces. Keeps no reference to them; one renderer serves any number of sizes."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._software = facts(context).is_software
        self._block = SceneBlock(context)
        self._tiles = tile_texture(context)
        self._sky = Sky(context)
        self._caustics = Caustics(context)
        self._basin = BasinPass(context)
        self._water = WaterPass(context)
        self._obstacles = ObstaclePass(context)
        self._data = DataPass(context)
        self._bar = ColorbarPass(context)
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
        scale: float = 1.0,
    ) -> None:
        """Draws one frame into `target` and leaves it bound.

        size: framebuffer pixels; an empty one draws nothing. scale: framebuffer pixels to a logical one, for text.
        """
        if size[0] < 1 or size[1] < 1:
            return
        self._adapts = self._software and look.auto_quality
        frame = Frame.of(surface, camera, look, self._quality.rung if self._adapts else _FULL, self._detail())
        with self._timer:
            samples = look.samples if frame.rung.samples else 0
            inner = self._frame.begin(size, target, samples, frame.rung.resolution)
            self._block.write(surface.grid, frame.basin, camera, look, frame.daylight, inner, hover)
            self._draw_data(frame) if look.mode == "data" else self._draw_water(frame)
            self._context.disable(moderngl.DEPTH_TEST)
            self._frame.finish()
            if self._colorbar is not None and look.colorbar:
                self._bar.draw(self._colorbar, size, scale)
        if self._adapts and self._timer.seconds is not None:
            self._quality.observe(self._timer.seconds)

    def release(self) -> None:
        """Gives every OpenGL object back."""
        release_all(
            self._context,
            self._timer,
            self._frame,
            self._bar,
            self._data,
            self._obstacles,
            self._water,
            self._basin,
            self._caustics,
            self._sky,
            self._tiles,
            self._block,
        )

    def _detail(self) -> Detail:
        if not self._software:
            return CARD
        return FLUENT if self._adapts else STILL

    def _draw_water(self, frame: Frame) -> None:
        surface, look, basin = frame.surface, frame.look, frame.basin
        self._colorbar = None
        self._sky.bake(frame.daylight, look, frame.detail)
        if look.caustics:
            self._caustics.update(surface, frame.detail)
        self._basin.build(basin, surface.grid)
        self._obstacles.build(surface, frame.detail)
        textures = {"sky_map": self._sky.map, "tiles": self._tiles, "caustics": self._caustics.texture}
        eye_height = float(frame.camera.eye[1])
        self._begin_scene()
        # From front to back, so that what is hidden costs nothing.
        if look.walls and eye_height > basin.rim:
            self._basin.draw_deck(basin, self._sky.map)
        self._obstacles.draw(surface, -basin.floor, OBSTACLE_TOP * basin.rim, False)
        self._water.draw(surface, frame.mesh, look, frame.rung.smooth, eye_height < BELOW * basin.rim, textures)
        if look.walls:
            self._basin.draw_inside(surface, look.caustics, textures)
        self._sky.draw()

    def _draw_data(self, frame: Frame) -> None:
        surface, look, basin = frame.surface, frame.look, frame.basin
        reach = self._data.range(surface, look)
        self._colorbar = self._data.colorbar(reach, look)
        self._block.write_data(-reach, reach, self._data.contour_interval(reach, look), look)
        self._obstacles.build(surface, frame.detail)
        self._begin_scene()
        self._obstacles.draw(surface, -0.5 * basin.rim, OBSTACLE_TOP * basin.rim, True)
        self._data.draw(surface, frame.mesh, look)
        self._data.draw_backdrop()

    def _begin_scene(self) -> None:
        self._frame.bind()
        self._context.enable_only(moderngl.DEPTH_TEST)
        self._context.depth_func = "<="
