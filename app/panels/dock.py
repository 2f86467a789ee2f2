"""The dock at the left: the transport, the tools, and one folding section for each panel."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import ImVec2, imgui

from . import capture, document, edges, gallery, performance, probes, simulation, sources, stability, transport, view
from .protocol import PanelHost
from .widgets import em

SECTIONS: tuple[tuple[str, Callable[[PanelHost], None], bool], ...] = (
    ("Gallery", gallery.draw, False),
    ("Simulation", simulation.draw, True),
    ("Stability", stability.draw, False),
    ("Boundaries and walls", edges.draw, False),
    ("Sources", sources.draw, False),
    ("Probes", probes.draw, False),
    ("View", view.draw, True),
    ("Capture", capture.draw, False),
    ("Performance", performance.draw, False),
    ("Document", document.draw, False),
)
"""Title, panel, and whether it is unfolded at first."""

WIDTH = 21.5
"""Widths of the text's height."""

LARGEST_SHARE = 0.46
"""Of the window: at large UI scales the water still shows."""


def dock_width(window_width: float) -> float:
    """Logical pixels that the dock takes from the left, in a frame of ImGui."""
    return min(em(WIDTH), LARGEST_SHARE * window_width)


def draw(app: PanelHost) -> None:
    """One frame of the dock."""
    from .status import status_height

    size = imgui.get_io().display_size
    imgui.set_next_window_pos(ImVec2(0.0, 0.0))
    imgui.set_next_window_size(ImVec2(dock_width(size.x), max(size.y - status_height(), 1.0)))
    fixed = imgui.WindowFlags_.no_decoration.value | imgui.WindowFlags_.no_move.value
    calm = imgui.WindowFlags_.no_bring_to_front_on_focus.value | imgui.WindowFlags_.no_saved_settings.value
    imgui.push_style_var(imgui.StyleVar_.window_rounding.value, 0.0)
    imgui.begin("dock", None, fixed | calm)
    imgui.pop_style_var()
    transport.draw(app)
    imgui.separator()
    imgui.begin_child("sections")
    for title, panel, unfolded in SECTIONS:
        flags = imgui.TreeNodeFlags_.default_open.value if unfolded else 0
        if imgui.collapsing_header(title, flags):
            imgui.push_id(title)
            panel(app)
            imgui.spacing()
            imgui.pop_id()
    imgui.end_child()
    imgui.end()
