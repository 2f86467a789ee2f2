"""The view without OpenGL: same calls, nothing drawn. For testing the application's loop, and for timing without it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..camera import Camera
from ..picking import Hit, pick
from .colorbar import Colorbar, ticks
from .colormaps import lut
from .look import Look
from .scene_block import Grid, Hover
from .statistics import Statistics


class NullSurface:
    """A surface whose heights stay in main memory; `height_buffer` is a NullBuffer over them."""

    def __init__(self, context: object, width: int, height: int, cell: float) -> None:
        self.grid = Grid(width, height, cell)
        self.height_buffer = NullBuffer(width * height * 4)
        self.obstacles: NDArray[Any] | None = None
        self.changes = 0
        self.released = False

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
        self.height_buffer.write(heights)
        self.changed()

    def changed(self) -> None:
        self.changes += 1

    def set_walls(self, mask: NDArray[Any] | None) -> None:
        self.obstacles = mask

    def read_heights(self) -> NDArray[np.float32]:
        return np.frombuffer(self.height_buffer.read(), np.float32).reshape(self.height, self.width)

    def pick(self, origin: Any, direction: Any, scale: float = 1.0) -> Hit | None:
        return pick(self.read_heights(), self.cell, np.asarray(origin), np.asarray(direction), scale)

    def extremes(self) -> tuple[float, float]:
        statistics = self.statistics()
        return statistics.low, statistics.high

    def statistics(self) -> Statistics:
        heights = self.read_heights().astype(np.float64)
        if not np.isfinite(heights).all():
            return Statistics(-np.inf, np.inf, np.inf)
        return Statistics(float(heights.min()), float(heights.max()), float(np.sqrt(np.mean(heights**2))))

    def release(self) -> None:
        self.released = True


class NullBuffer:
    """Bytes with the calls of a moderngl buffer that the application uses."""

    glo = 0

    def __init__(self, size: int) -> None:
        self.size = size
        self._data = bytearray(size)

    def write(self, data: Any, offset: int = 0) -> None:
        """Raises ValueError when `data` does not fit."""
        view = memoryview(data).cast("B")
        if offset + view.nbytes > self.size:
            raise ValueError(f"buffer: {view.nbytes} bytes at {offset} do not fit into {self.size}")
        self._data[offset : offset + view.nbytes] = view

    def read(self, size: int = -1, offset: int = 0) -> bytes:
        return bytes(self._data[offset:] if size < 0 else self._data[offset : offset + size])

    def release(self) -> None:
        self._data = bytearray()


class NullRenderer:
    """Counts frames and remembers what the last one was asked to show."""

    def __init__(self, context: object = None) -> None:
        self.frames = 0
        self.last: dict[str, Any] = {}
        self.colorbar: Colorbar | None = None
        self.degraded: list[str] = []
        self.draw_seconds: float | None = None
        self.released = False

    def draw(
        self,
        surface: Any,
        camera: Camera,
        look: Look,
        size: tuple[int, int],
        target: object = None,
        hover: Hover | None = None,
        scale: float = 1.0,
    ) -> None:
        if size[0] < 1 or size[1] < 1:
            return
        self.frames += 1
        self.draw_seconds = 0.0
        self.last = {"surface": surface, "pose": camera.pose, "look": look, "size": size, "hover": hover}
        reach = look.value_range
        is_data = look.mode == "data"
        self.colorbar = Colorbar(-reach, reach, ticks(-reach, reach), lut(look.colormap)) if is_data else None

    def release(self) -> None:
        self.released = True


class NullGui:
    """Takes draw data and drops it; acknowledges textures, so that ImGui goes on."""

    def __init__(self, context: object = None) -> None:
        self.frames = 0
        from imgui_bundle import imgui

        imgui.get_io().backend_flags |= imgui.BackendFlags_.renderer_has_textures

    def render(self, draw_data: Any, target: object = None) -> None:
        from imgui_bundle import imgui

        self.frames += 1
        for data in imgui.get_platform_io().textures:
            if data.status == imgui.ImTextureStatus.want_destroy:
                data.set_tex_id(0)
                data.set_status(imgui.ImTextureStatus.destroyed)
            elif data.status != imgui.ImTextureStatus.ok:
                data.set_tex_id(1)
                data.set_status(imgui.ImTextureStatus.ok)

    def release(self) -> None:
        pass
