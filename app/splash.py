"""What the window shows while the first capture is made: the name, what is going on, and that it goes on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

if TYPE_CHECKING:
    from .viewport import Viewport


def draw_splash(viewport: Viewport, label: str, seconds: float) -> None:
    """Draws into the current ImGui frame. label: what is being done. seconds: since when."""
    draw = imgui.get_background_draw_list()
    centre_x, centre_y = viewport.width / 2, viewport.height / 2
    scale = viewport.ui_scale
    ink = imgui.get_color_u32(imgui.Col_.text)
    accent = imgui.get_color_u32(imgui.Col_.plot_lines)

    _centred(draw, centre_x, centre_y - 70 * scale, 34 * scale, ink, "Whitecap")
    width = min(360 * scale, viewport.width * 0.7)
    points: list[Any] = [
        imgui.ImVec2(centre_x - width / 2 + width * k / 96, centre_y + _wave(k / 96, seconds) * 12 * scale)
        for k in range(97)
    ]
    draw.add_polyline(points, col=accent, flags=0, thickness=2.5 * scale)
    _centred(draw, centre_x, centre_y + 32 * scale, 15 * scale, ink, f"{label} … {seconds:.0f} s")


def _wave(x: float, seconds: float) -> float:
    return math.sin(math.pi * x) * math.sin(4 * math.pi * x - 5 * seconds)


def _centred(draw: imgui.ImDrawList, x: float, y: float, size: float, colour: int, text: str) -> None:
    width = imgui.calc_text_size(text).x * size / imgui.get_font_size()
    draw.add_text(imgui.get_font(), size, imgui.ImVec2(x - width / 2, y), colour, text)
