"""The controls that every panel is made of: labelled rows, sliders with a default and a stable part, notes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from imgui_bundle import ImVec2, ImVec4, imgui

LABEL_SHARE = 0.36
"""The part of a row that its label takes."""

WARNING = ImVec4(1.0, 0.72, 0.30, 1.0)
DANGER = ImVec4(0.95, 0.33, 0.30, 1.0)
GOOD = ImVec4(0.45, 0.83, 0.55, 1.0)


@dataclass(frozen=True)
class Edit:
    """What happened to a control in this frame. done: the drag or the typing has ended."""

    changed: bool
    value: float
    done: bool = False


def em(times: float = 1.0) -> float:
    """Lengths follow the text, so panels look the same at every UI scale."""
    return imgui.get_font_size() * times


def label(text: str, help: str = "") -> None:
    """Starts a row: the label at the left, the control that follows takes the rest."""
    imgui.align_text_to_frame_padding()
    imgui.text(text)
    if help:
        tooltip(help)
    imgui.same_line(_left() + imgui.get_content_region_avail().x * 0 + _row_width() * LABEL_SHARE)
    imgui.set_next_item_width(-1.0)


def _left() -> float:
    return imgui.get_cursor_start_pos().x


def _row_width() -> float:
    return (
        imgui.get_window_width() - 2 * _left() - (imgui.get_style().scrollbar_size if imgui.get_scroll_max_y() else 0)
    )


def tooltip(text: str) -> None:
    """Words for the control before, shown after a moment under the cursor."""
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip.value | imgui.HoveredFlags_.allow_when_disabled.value):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(em(24))
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def note(text: str, colour: ImVec4 | None = None) -> None:
    """Wrapped words, dim unless a colour is given."""
    shade = colour if colour is not None else imgui.get_style_color_vec4(imgui.Col_.text_disabled.value)
    imgui.push_style_color(imgui.Col_.text.value, shade)
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.pop_style_color()


def slider(
    name: str,
    value: float,
    low: float,
    high: float,
    *,
    default: float | None = None,
    unit: str = "",
    help: str = "",
    log: bool = False,
    whole: bool = False,
    stable: tuple[float, float] | None = None,
) -> Edit:
    """A labelled slider. Ctrl-click types a value, a double click or the menu of the right button sets the default.

    stable: (lowest, highest) stable value; the rest of the track is red. log: small values get more of the track.
    What is typed is held to the range, and not taken at all when it is no finite number.
    """
    label(name, help)
    shown = number_format(value, whole) + (f" {unit}" if unit else "")
    flags = imgui.SliderFlags_.logarithmic.value if log else 0
    new: float
    if whole:
        changed, new = imgui.slider_int(f"##{name}", round(value), round(low), round(high), f"%d {unit}".strip(), flags)
    else:
        changed, new = imgui.slider_float(f"##{name}", value, low, high, shown.replace("%", "%%"), flags)
    done = imgui.is_item_deactivated_after_edit()
    if stable is not None:
        _paint_unstable(low, high, stable, log)
    _explain(help, default, unit, whole, stable, low, high)
    if default is not None and imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
        imgui.internal.clear_active_id()  # else the button, still down, would drag it to the cursor in the next frame
        return Edit(default != value, default, True)
    chosen = _menu(name, value, default, unit, whole)
    if chosen is not None:
        return Edit(chosen != value, min(max(chosen, low), high), True)
    if not changed or not math.isfinite(new):
        return Edit(False, value, done)
    return Edit(True, min(max(float(new), low), high), done)


def _menu(name: str, value: float, default: float | None, unit: str, whole: bool) -> float | None:
    """The right button's menu: the default, and a field to type in. Returns what was chosen."""
    chosen = None
    if imgui.begin_popup_context_item(f"menu {name}"):
        if default is not None and imgui.menu_item_simple(f"Default: {number_format(default, whole)} {unit}".rstrip()):
            chosen = default
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(em(8))
        typed = number_field(f"{unit}##type {name}", value)
        if typed is not None:
            chosen = float(round(typed)) if whole else typed
            imgui.close_current_popup()
        imgui.end_popup()
    return chosen


def number_field(name: str, value: float) -> float | None:
    """A field for a number; what was typed once Enter is pressed, if it is one."""
    flags = imgui.InputTextFlags_.enter_returns_true.value | imgui.InputTextFlags_.chars_scientific.value
    entered, text = imgui.input_text(name, f"{value:.6g}", flags | imgui.InputTextFlags_.auto_select_all.value)
    try:
        typed = float(text) if entered else math.nan
    except ValueError:
        return None
    return typed if math.isfinite(typed) else None


def _explain(
    help: str,
    default: float | None,
    unit: str,
    whole: bool,
    stable: tuple[float, float] | None,
    low: float,
    high: float,
) -> None:
    lines = [help] if help else []
    if default is not None:
        lines.append(f"Default {number_format(default, whole)} {unit}".rstrip() + ", by double click.")
    lines.append("Ctrl-click to type a value.")
    if stable is not None and (stable[0] > low or stable[1] < high):
        ends = [f"from {number_format(stable[0], whole)}"] if stable[0] > low else []
        ends += [f"up to {number_format(stable[1], whole)}"] if stable[1] < high else []
        lines.append(f"Stable {' '.join(ends)}; red is unstable.")
    if not imgui.is_item_active():
        tooltip("\n".join(lines))


# Corners of a rectangle to round: the bits are the same in all releases of ImGui, their names are not.
ROUND_LEFT, ROUND_RIGHT = 1 << 4 | 1 << 6, 1 << 5 | 1 << 7


def _paint_unstable(low: float, high: float, stable: tuple[float, float], log: bool) -> None:
    """Red over the part of the last slider's track that is unstable."""
    corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
    red = imgui.get_color_u32(ImVec4(DANGER.x, DANGER.y, DANGER.z, 0.38))
    draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding

    def paint(start: float, end: float, corners: int) -> None:
        a, b = corner.x + start * size.x, corner.x + end * size.x
        draw.add_rect_filled(ImVec2(a, corner.y), ImVec2(b, corner.y + size.y), red, rounding, corners)

    first, last = track_place(stable[0], low, high, log), track_place(stable[1], low, high, log)
    if last < 1.0:
        paint(last, 1.0, ROUND_RIGHT)
    if first > 0.0:
        paint(0.0, first, ROUND_LEFT)


def track_place(value: float, low: float, high: float, log: bool = False) -> float:
    """Where a value lies on a slider's track, 0 to 1."""
    value = min(max(value, low), high)
    if log and low > 0:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def number_format(value: float, whole: bool = False) -> str:
    """Four significant digits, no exponent where a person would not write one."""
    if whole:
        return str(round(value))
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def choice(name: str, current: str, choices: Sequence[str], help: str = "", words: Sequence[str] = ()) -> str | None:
    """A labelled list; the newly chosen one, or None. words: what is shown for each, unless it is the choice itself."""
    label(name, help)
    here = choices.index(current) if current in choices else 0
    changed, picked = imgui.combo(f"##{name}", here, list(words) or [word.capitalize() for word in choices])
    if help and not imgui.is_item_active():
        tooltip(help)
    return choices[picked] if changed and picked != here else None


def switch(name: str, on: bool, help: str = "") -> bool | None:
    """A check box; the new state when it was changed, or None."""
    changed, state = imgui.checkbox(name, on)
    if help:
        tooltip(help)
    return state if changed else None


def button(text: str, help: str = "", width: float = 0.0, enabled: bool = True, lit: bool = False) -> bool:
    """A button; lit: drawn as switched on."""
    imgui.begin_disabled(not enabled)
    padding = imgui.get_style().frame_padding
    spare = (width - imgui.calc_text_size(text, hide_text_after_double_hash=True).x) / 2 if width > 0 else padding.x
    imgui.push_style_var(imgui.StyleVar_.frame_padding.value, ImVec2(min(padding.x, max(spare, 0.0)), padding.y))
    if lit:
        imgui.push_style_color(imgui.Col_.button.value, imgui.get_style_color_vec4(imgui.Col_.slider_grab.value))
    pressed = imgui.button(text, ImVec2(width, 0.0))
    if lit:
        imgui.pop_style_color()
    imgui.pop_style_var()
    imgui.end_disabled()
    if help:
        tooltip(help)
    return pressed


def row_of(count: int) -> float:
    """The width of each of `count` buttons that share a row."""
    space = imgui.get_style().item_spacing.x * (count - 1)
    return max((imgui.get_content_region_avail().x - space) / count, em(1))


class Row:
    """Equal buttons side by side, as many in a line as show all of their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        widest = max(imgui.calc_text_size(text).x for text in texts)
        fit = [count for count in range(1, len(texts) + 1) if row_of(count) >= widest]
        # Two lines of two rather than of three and one.
        self._columns = math.ceil(len(texts) / math.ceil(len(texts) / max(fit, default=1)))
        self._width = row_of(self._columns)
        self._drawn = 0

    def next(self) -> float:
        """Goes to the next button's place; its width in logical pixels."""
        if self._drawn % self._columns:
            imgui.same_line()
        self._drawn += 1
        return self._width


def path_field(name: str, path: str, hint: str) -> tuple[str, bool]:
    """A field for a file's path; (text, Enter was pressed)."""
    imgui.set_next_item_width(-1.0)
    entered, text = imgui.input_text_with_hint(f"##{name}", hint, path, imgui.InputTextFlags_.enter_returns_true.value)
    return text, entered


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Names and values in two columns."""
    for name, value in rows:
        imgui.text_disabled(name)
        imgui.same_line(_left() + _row_width() * LABEL_SHARE)
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(value)
        imgui.pop_text_wrap_pos()
