"""What lies over the water: marks of sources and probes, the preset's caption, the hint, the rescue."""

from __future__ import annotations

from imgui_bundle import ImVec2, ImVec4, imgui

from ..lab.tools import Mark
from ..lab.walls import outline
from .dock import dock_width
from .protocol import PanelHost
from .state import state_of
from .status import status_height
from .transport import command
from .widgets import DANGER, button, em

CAPTION_SECONDS = 12.0
HINT_SECONDS = 8.0
"""How long the hint stays once the mouse was used on the water."""

HINT = (
    "Drag on the water to make ripples. Drag with the right button to look around.\n"
    "The wheel zooms, 1 to 9 open the gallery, ? shows every key."
)

_FLOATING = (
    imgui.WindowFlags_.no_decoration.value
    | imgui.WindowFlags_.no_move.value
    | imgui.WindowFlags_.no_saved_settings.value
    | imgui.WindowFlags_.no_focus_on_appearing.value
    | imgui.WindowFlags_.no_nav.value
    | imgui.WindowFlags_.always_auto_resize.value
)


def draw(app: PanelHost) -> None:
    """One frame of everything but the rescue."""
    draw_marks(app)
    _caption(app)
    _hint(app)


def _middle() -> float:
    """The middle of what the dock leaves free, in logical pixels."""
    width = imgui.get_io().display_size.x
    return (dock_width(width) + width) / 2


def _wrap() -> float:
    """How wide floating words may be, in logical pixels."""
    width = imgui.get_io().display_size.x
    return min(em(34), width - dock_width(width) - em(3))


def draw_marks(app: PanelHost) -> None:
    """A mark for each source and probe where it lies on the water, and the outlines of slow water."""
    lab = app.lab
    if lab is None:
        return
    draw_outlines(app)
    draw = imgui.get_background_draw_list()
    first: Mark | None = None
    for mark in lab.tools.marks():
        tint = SOURCE_TINT if mark.kind == "source" else PROBE_TINT
        if mark.end == 0:
            first = mark
        elif first is not None:
            _outline(app, _span(first, mark), tint)
        spot = _place(app, mark.x, mark.y)
        if spot is None:
            continue
        colour, radius = imgui.get_color_u32(tint), em(0.4 if mark.end == 0 else 0.28)
        draw.add_circle_filled(spot, radius + em(0.14), imgui.get_color_u32(SHADE))
        draw.add_circle_filled(spot, radius, colour)
        if mark.selected:
            draw.add_circle(spot, radius + em(0.3), colour, thickness=em(0.12))
        if mark.label:
            _tag(mark.label, ImVec2(spot.x + em(0.75), spot.y - em(1.4)), colour)


def _span(first: Mark, second: Mark) -> list[tuple[float, float]]:
    """What is drawn between the two ends of a source: the way or line, or the rectangle that it rains on."""
    if second.span == "box":
        return [(first.x, first.y), (second.x, first.y), (second.x, second.y), (first.x, second.y)]
    return [(first.x, first.y), (second.x, second.y)]


SOURCE_TINT = ImVec4(1.0, 0.78, 0.30, 1.0)
PROBE_TINT = ImVec4(0.50, 0.95, 0.62, 1.0)
SLOW_TINT = ImVec4(0.85, 0.75, 1.0, 1.0)
SHADE = ImVec4(0.04, 0.07, 0.10, 0.80)


def _tag(text: str, corner: ImVec2, colour: int) -> None:
    """A short text on a dark ground, readable over any water."""
    draw, size = imgui.get_background_draw_list(), imgui.calc_text_size(text)
    far = ImVec2(corner.x + size.x + em(0.5), corner.y + size.y + em(0.1))
    draw.add_rect_filled(corner, far, imgui.get_color_u32(SHADE), em(0.3))
    draw.add_text(ImVec2(corner.x + em(0.25), corner.y + em(0.05)), colour, text)


def _shaded_line(start: ImVec2, end: ImVec2, tint: ImVec4) -> None:
    draw = imgui.get_background_draw_list()
    draw.add_line(start, end, imgui.get_color_u32(ImVec4(SHADE.x, SHADE.y, SHADE.z, 0.5)), thickness=em(0.22))
    draw.add_line(start, end, imgui.get_color_u32(ImVec4(tint.x, tint.y, tint.z, 0.8)), thickness=em(0.09))


def draw_outlines(app: PanelHost) -> None:
    """Slow water looks like any other: a line on the surface shows where it begins."""
    for wall in app.lab.setup.walls if app.lab is not None else ():
        if wall.kind == "slow":
            _outline(app, outline(wall), SLOW_TINT)


def _outline(app: PanelHost, points: list[tuple[float, float]], tint: ImVec4) -> None:
    """A closed line on the water through points in widths of the basin; two points make one segment."""
    spots = [_place(app, x, y) for x, y in points]
    ends = spots[1:] + spots[:1] if len(spots) > 2 else spots[1:]
    for start, end in zip(spots, ends):
        if start is not None and end is not None:
            _shaded_line(start, end, tint)


def _place(app: PanelHost, x: float, y: float) -> ImVec2 | None:
    """Where a place in widths of the basin lies in the window."""
    width = app.simulation.grid.width
    return _on_screen(app, x * width - 0.5, y * width - 0.5)


def _on_screen(app: PanelHost, x: float, y: float) -> ImVec2 | None:
    """Where a place in cells lies in the window, in logical pixels; None behind the camera."""
    grid = app.simulation.grid
    point = ((x - (grid.width - 1) / 2) * grid.cell, 0.0, (y - (grid.height - 1) / 2) * grid.cell)
    place = app.camera.project(point, app.viewport.size)
    return ImVec2(place[0], place[1]) if place is not None else None


def _caption(app: PanelHost) -> None:
    """What a newly opened scene is and what to notice, for some seconds."""
    lab, state = app.lab, state_of(app)
    if lab is None or not lab.library.document.note or lab.rescue.tripped:
        return
    if lab.library.document.title != state.caption_title:
        state.caption_title, state.caption_age = lab.library.document.title, 0.0
    state.caption_age += imgui.get_io().delta_time
    left = CAPTION_SECONDS - state.caption_age
    if left <= 0:
        return
    imgui.push_style_var(imgui.StyleVar_.alpha.value, min(left, 1.0))
    imgui.set_next_window_pos(ImVec2(_middle(), em(1.0)), imgui.Cond_.always.value, ImVec2(0.5, 0.0))
    imgui.set_next_window_bg_alpha(0.72)
    imgui.begin("caption", None, _FLOATING | imgui.WindowFlags_.no_inputs.value)
    imgui.text_unformatted(lab.library.document.title)
    imgui.push_text_wrap_pos(_wrap())
    imgui.text_disabled(lab.library.document.note)
    imgui.pop_text_wrap_pos()
    imgui.end()
    imgui.pop_style_var()


def _hint(app: PanelHost) -> None:
    """One hint at the first start, until it is closed or its first sentence has been followed for a while."""
    if app.settings.hint_seen:
        return
    state = state_of(app)
    state.hint_age += imgui.get_io().delta_time if app.pointer.touched else 0.0
    if state.hint_age > HINT_SECONDS:
        app.settings.hint_seen = True
        return
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(
        ImVec2(_middle(), size.y - status_height() - em(1.2)), imgui.Cond_.always.value, ImVec2(0.5, 1.0)
    )
    imgui.set_next_window_bg_alpha(0.85)
    imgui.push_style_var(imgui.StyleVar_.alpha.value, min(HINT_SECONDS - state.hint_age, 1.0))
    imgui.begin("hint", None, _FLOATING)
    imgui.push_text_wrap_pos(_wrap())
    imgui.text_unformatted(HINT)
    imgui.pop_text_wrap_pos()
    if button("Got it"):
        app.settings.hint_seen = True
    imgui.end()
    imgui.pop_style_var()


def draw_rescue(app: PanelHost) -> None:
    """After a runaway: why it stopped, and the one click that goes back."""
    lab = app.lab
    if lab is None or not lab.rescue.tripped:
        return
    imgui.set_next_window_pos(ImVec2(_middle(), em(6.0)), imgui.Cond_.always.value, ImVec2(0.5, 0.0))
    imgui.push_style_color(imgui.Col_.border.value, DANGER)
    imgui.begin("rescue", None, _FLOATING)
    imgui.pop_style_color()
    imgui.text_colored(DANGER, "The waves ran away")
    imgui.text_unformatted(lab.rescue.reason[:1].upper() + lab.rescue.reason[1:] + ".")
    imgui.text_disabled("What shows is the last good state.")
    command(app, "restore", "Go back to it", enabled=lab.rescue.good is not None)
    imgui.same_line()
    command(app, "reset_waves", "Still water")
    imgui.end()
