"""The one place that knows how logical pixels relate to framebuffer pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import UsageError


@dataclass(frozen=True)
class Viewport:
    """Size of the drawing area.

    width, height: logical pixels, in which events, the camera and the panels count. ratio: framebuffer pixels to a
    logical one. ui_scale: how much larger than usual the desktop wants text.
    """

    width: int
    height: int
    ratio: float = 1.0
    ui_scale: float = 1.0

    @property
    def size(self) -> tuple[int, int]:
        """Logical pixels."""
        return (self.width, self.height)

    @property
    def framebuffer(self) -> tuple[int, int]:
        """Framebuffer pixels."""
        return (round(self.width * self.ratio), round(self.height * self.ratio))

    @property
    def empty(self) -> bool:
        """Nothing to draw on: minimised, or squeezed to nothing in one direction."""
        return min(self.framebuffer) <= 0


def window_viewport(window: Any) -> Viewport:
    """The viewport of a pyglet window."""
    width, height = window.get_size()
    framebuffer_width, _ = window.get_framebuffer_size()
    ratio = framebuffer_width / width if width > 0 and framebuffer_width > 0 else 1.0
    return Viewport(width, height, ratio, max(1.0, float(getattr(window, "scale", 1.0)) / ratio))


def parse_size(text: str) -> tuple[int, int]:
    """(width, height) from '1280x800'."""
    width, separator, height = text.lower().partition("x")
    if not (separator and width.strip().isdecimal() and height.strip().isdecimal()):
        raise UsageError(f"--size {text}: give width x height in pixels, such as 1280x800")
    size = int(width), int(height)
    if not all(16 <= side <= 16384 for side in size):
        raise UsageError(f"--size {text}: each side must be 16 to 16384 pixels")
    return size
