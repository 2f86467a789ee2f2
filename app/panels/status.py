"""The status line along the bottom: what runs, how fast, on what, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from imgui_bundle import ImVec2, imgui

from ..messages import counted
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
        counted(grid.substeps, "sub-step") if simulation.scene.file is None else launches_of(simulation),
    ]
    if lab is not None and lab.setup.time_scale != 1.0:
        parts.append(f"{number_format(lab.setup.time_scale)}x")
    imgui.text_unformatted("   ".join(parts))
    imgui.same_line(0.0, em(1.5))
    if app.recording is not None:
        imgui.text_colored(DANGER, f"Recording: {counted(app.recording.frames, 'picture')}; F9 ends it")
        imgui.same_line(0.0, em(1.5))
    message = app.message or (lab.message if lab is not None else "")
    if app.busy:
        imgui.text_colored(WARNING, _sentence(app.busy))
    elif simulation.paused:
        imgui.text_colored(WARNING, "Paused")
    elif not message:
        imgui.text_disabled(f"{simulation.seconds:.1f} s")
    if message and not app.busy:
        if simulation.paused:
            imgui.same_line(0.0, em(1.5))
        _message(_sentence(message))


def launches_of(simulation: Any) -> str:
    """ "17 launches a frame": what a loaded capture has where other scenes have sub-steps."""
    count = simulation.graph.capture.launch_count
    return f"{count} launch{'es' * (count != 1)} a frame"


def _message(text: str) -> None:
    """What happened last; an edit that was not made as it was wished stands out. The tooltip has it where it is cut."""
    if text.startswith(("Refused", "Raised")):
        imgui.text_colored(WARNING, text)
    else:
        imgui.text_disabled(text)
    tooltip(text)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _right(app: PanelHost, width: float) -> None:
    """From the right edge: frame rate, backend, layers that are left out; fewer of them in a narrow window."""
    degraded = list(getattr(app.stage.renderer, "degraded", []))
    whole = f"Left out: {', '.join(degraded)}" if degraded else ""
    short = f"{len(degraded)} layers left out" if len(degraded) > 1 else whole
    badge, rate, gap = app.backend.badge, f"{app.timings.frame_rate:.0f} frames/s", em(1.5)
    imgui.same_line(0.0, gap)
    room = width - imgui.get_cursor_pos_x() - em(0.7)
    layers, badge, rate = fitting(((whole, badge, rate), (short, badge, rate), ("", badge, rate), ("", "", rate)), room)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room - _extent((layers, badge, rate)), 0.0))
    if layers:
        imgui.text_colored(WARNING, layers)
        tooltip(f"{whole}. The renderer stays fluent that way on this machine. View can switch this off.")
        imgui.same_line(0.0, gap)
    if badge:
        imgui.text_colored(WARNING if app.backend.remedy else GOOD, badge)
        tooltip(app.backend.remedy or "Frames are replayed and drawn on the best path that this machine has.")
        imgui.same_line(0.0, gap)
    slow = 0 < app.timings.frame_rate < 20
    imgui.text_colored(DANGER, rate) if slow else imgui.text_disabled(rate)


def fitting(choices: Sequence[tuple[str, ...]], room: float) -> tuple[str, ...]:
    """The first of several rows of words that is not wider than `room`, else one of nothing."""
    return next((row for row in choices if _extent(row) <= room), ("",) * len(choices[0]))


def _extent(row: tuple[str, ...]) -> float:
    """How wide words lie side by side, in logical pixels."""
    widths = [imgui.calc_text_size(text).x for text in row if text]
    return sum(widths) + em(1.5) * max(len(widths) - 1, 0)
