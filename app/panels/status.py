"""The status line along the bottom: what runs, how fast, on what, and what to do about it."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from .protocol import PanelHost
from .widgets import DANGER, GOOD, WARNING, em, number_format, tooltip


def status_height() -> float:
    """Logical pixels."""
    return imgui.get_frame_height() + 0.4 * em()


def draw(app: PanelHost) -> None:
    """One frame of the line."""
    size, height = imgui.get_io().display_size, status_height()
    imgui.set_next_window_pos(ImVec2(0.0, size.y - height))
    imgui.set_next_window_size(ImVec2(size.x, height))
    flags = imgui.WindowFlags_.no_decoration.value | imgui.WindowFlags_.no_move.value
    flags |= imgui.WindowFlags_.no_bring_to_front_on_focus.value | imgui.WindowFlags_.no_saved_settings.value
    flags |= imgui.WindowFlags_.no_nav.value
    imgui.push_style_var(imgui.StyleVar_.window_rounding.value, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding.value, ImVec2(em(0.7), em(0.2)))
    imgui.begin("status", None, flags)
    imgui.pop_style_var(2)
    imgui.align_text_to_frame_padding()
    _left(app)
    _right(app, size.x)
    imgui.end()


def _left(app: PanelHost) -> None:
    simulation, lab = app.simulation, app.lab
    grid = simulation.grid
    parts = [
        simulation.scene.title or simulation.scene.name,
        f"{grid.width} x {grid.height}",
        f"{grid.substeps} sub-steps",
    ]
    if lab is not None and lab.setup.time_scale != 1.0:
        parts.append(f"{number_format(lab.setup.time_scale)}x")
    imgui.text_unformatted("   ".join(parts))
    imgui.same_line(0.0, em(1.5))
    if app.busy:
        imgui.text_colored(WARNING, app.busy[:1].upper() + app.busy[1:])
    elif simulation.paused:
        imgui.text_colored(WARNING, "Paused")
    elif lab is not None and lab.message:
        imgui.text_disabled(lab.message)
    else:
        imgui.text_disabled(f"{simulation.seconds:.1f} s")


def _right(app: PanelHost, width: float) -> None:
    """From the right edge: frame rate, backend, dropped layers."""
    rate = f"{app.timings.frame_rate:.0f} frames/s"
    badge = app.backend.badge
    degraded = list(getattr(app.stage.renderer, "degraded", []))
    dropped = f"Dropped: {', '.join(degraded)}" if degraded else ""
    gap = em(1.5)
    texts = [text for text in (dropped, badge, rate) if text]
    needed = sum(imgui.calc_text_size(text).x + gap for text in texts)
    imgui.same_line(max(width - needed - em(0.3), imgui.get_cursor_pos_x()))
    if dropped:
        imgui.text_colored(WARNING, dropped)
        tooltip("The renderer leaves layers out to stay fluent on this machine. View can switch this off.")
        imgui.same_line(0.0, gap)
    best = not app.backend.remedy
    imgui.text_colored(GOOD if best else WARNING, badge)
    tooltip(app.backend.remedy or "Frames are replayed and drawn on the best path that this machine has.")
    imgui.same_line(0.0, gap)
    slow = 0 < app.timings.frame_rate < 20
    imgui.text_colored(DANGER, rate) if slow else imgui.text_disabled(rate)
