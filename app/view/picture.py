"""Pictures: a target off the screen, reading pixels back, and PNG files that are never half written."""

from __future__ import annotations

import os
from pathlib import Path

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..files import staged
from .release import release_all

Pixels = NDArray[np.uint8]


class OffscreenTarget:
    """A picture of width x height pixels to draw into."""

    def __init__(self, context: moderngl.Context, width: int, height: int, samples: int = 0) -> None:
        """samples: multisampling of the target itself (the renderer brings its own when it draws). Raises UserError."""
        limit = int(context.info["GL_MAX_RENDERBUFFER_SIZE"])
        if not (1 <= width <= limit and 1 <= height <= limit):
            raise UserError(f"picture: {width} x {height} pixels were asked for; this OpenGL draws 1 to {limit} a side")
        self._context = context
        self._colour = context.renderbuffer((width, height), 4)
        self._depth = context.depth_renderbuffer((width, height))
        self._single = context.framebuffer([self._colour], self._depth)
        self._multi: moderngl.Framebuffer | None = None
        self._multi_parts: list[moderngl.Renderbuffer] = []
        samples = min(samples, context.max_samples)
        if samples > 1:
            size = (width, height)
            self._multi_parts = [
                context.renderbuffer(size, 4, samples=samples),
                context.depth_renderbuffer(size, samples=samples),
            ]
            self._multi = context.framebuffer([self._multi_parts[0]], self._multi_parts[1])

    @property
    def framebuffer(self) -> moderngl.Framebuffer:
        """What to draw into."""
        return self._multi or self._single

    @property
    def size(self) -> tuple[int, int]:
        return self._single.size

    def read(self) -> Pixels:
        """The picture: (H, W, 3) uint8, top row first."""
        if self._multi is not None:
            self._context.copy_framebuffer(self._single, self._multi)
        return read_pixels(self._single)

    def release(self) -> None:
        release_all(self._context, self._multi, *self._multi_parts, self._single, self._depth, self._colour)


def read_pixels(framebuffer: moderngl.Framebuffer) -> Pixels:
    """Pixels of a framebuffer without multisampling: (H, W, 3) uint8, top row first."""
    width, height = framebuffer.size
    data = framebuffer.read((0, 0, width, height), components=3, alignment=1)
    pixels: Pixels = np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)[::-1].copy()
    return pixels


def write_png(path: str | os.PathLike[str], pixels: Pixels) -> None:
    """Writes a PNG: the whole picture or none. Raises UserError."""
    from PIL import Image

    with staged(Path(path)) as temporary, temporary.open("wb") as file:
        Image.fromarray(pixels).save(file, format="PNG", compress_level=4)
