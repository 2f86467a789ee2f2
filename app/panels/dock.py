"""The dock at the left: the transport, the tools, and one folding section for each panel."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import ImVec2, imgui

from . import capture, document, edges, gallery, performance, probes, simulation, sources, stability, transport, view
from .protocol import PanelHost
from .widgets import em

SECTIONS: tuple[tuple[str, Callable[[PanelHost], None], bool], ...] = (
    ("Gallery", gallery.draw, True),
    ("Simulation", simulation.draw, True),
    ("Stability", stability.draw, False),
    ("Boundaries and walls", edges.draw, False),
    ("Sources", sources.draw, False),
    ("Probes", probes.draw, False),
    ("View", view.draw, False),
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
    imgui.begin_child("sections", ImVec2(0.0, 0.0), imgui.ChildFlags_.nav_flattened.value)
    for title, panel, unfolded in SECTIONS:
        flags = imgui.TreeNodeFlags_.default_open.value if unfolded else 0
        if title == "Document" and app.lab is not None and app.lab.library.asks_for:
            imgui.set_next_item_open(True)
            imgui.set_scroll_here_y()
        if imgui.collapsing_header(title, flags):
            imgui.push_id(title)
            _guarded(app, title, panel)
            imgui.spacing()
            imgui.pop_id()
    imgui.end_child()
    imgui.end()


def _guarded(app: PanelHost, title: str, panel: Callable[[PanelHost], None]) -> None:
    """Draws one panel; a failure inside closes what it left open and goes to the error dialog."""
    state = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(state)
    try:
        panel(app)
    except Exception as error:
        io = imgui.get_io()
        io.config_error_recovery_enable_assert = False
        imgui.internal.error_recovery_try_to_recover_state(state)
        io.config_error_recovery_enable_assert = True
        app.show_error(f"panel {title}: {error}")
