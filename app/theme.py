"""How the panels look: colours, rounding and spacing, at any scale."""

from __future__ import annotations

from typing import Any

from imgui_bundle import imgui

FONT_SIZE = 15.0

_INK = (0.90, 0.94, 0.97)
_DEEP = (0.055, 0.090, 0.125)
_FIELD = (0.13, 0.19, 0.25)
_ACCENT = (0.16, 0.60, 0.74)
_BRIGHT = (0.30, 0.76, 0.88)

_COLOURS: dict[str, tuple[tuple[float, float, float], float]] = {
    "text": (_INK, 1.0),
    "text_disabled": (_INK, 0.45),
    "window_bg": (_DEEP, 0.88),
    "child_bg": (_DEEP, 0.0),
    "popup_bg": (_DEEP, 0.96),
    "border": (_INK, 0.12),
    "frame_bg": (_FIELD, 0.85),
    "frame_bg_hovered": (_ACCENT, 0.40),
    "frame_bg_active": (_ACCENT, 0.60),
    "title_bg": (_DEEP, 0.92),
    "title_bg_active": (_FIELD, 0.95),
    "title_bg_collapsed": (_DEEP, 0.75),
    "menu_bar_bg": (_DEEP, 0.92),
    "scrollbar_bg": (_DEEP, 0.0),
    "scrollbar_grab": (_INK, 0.20),
    "scrollbar_grab_hovered": (_INK, 0.32),
    "scrollbar_grab_active": (_ACCENT, 0.80),
    "check_mark": (_BRIGHT, 1.0),
    "slider_grab": (_ACCENT, 0.95),
    "slider_grab_active": (_BRIGHT, 1.0),
    "button": (_ACCENT, 0.35),
    "button_hovered": (_ACCENT, 0.65),
    "button_active": (_BRIGHT, 0.80),
    "header": (_ACCENT, 0.25),
    "header_hovered": (_ACCENT, 0.45),
    "header_active": (_ACCENT, 0.65),
    "separator": (_INK, 0.14),
    "tab": (_FIELD, 0.80),
    "tab_hovered": (_ACCENT, 0.70),
    "tab_selected": (_ACCENT, 0.55),
    "plot_lines": (_BRIGHT, 1.0),
    "plot_histogram": (_ACCENT, 1.0),
    "text_selected_bg": (_ACCENT, 0.45),
    "table_header_bg": (_FIELD, 0.90),
    "table_row_bg_alt": (_INK, 0.03),
    "table_border_light": (_INK, 0.10),
    "table_border_strong": (_INK, 0.10),
    "nav_cursor": (_BRIGHT, 0.9),
    "modal_window_dim_bg": (_DEEP, 0.55),
}

_SIZES = {
    "window_rounding": 7.0,
    "child_rounding": 5.0,
    "frame_rounding": 4.0,
    "grab_rounding": 4.0,
    "popup_rounding": 6.0,
    "scrollbar_rounding": 6.0,
    "tab_rounding": 4.0,
    "window_border_size": 1.0,
    "frame_border_size": 0.0,
    "scrollbar_size": 11.0,
    "grab_min_size": 10.0,
    "indent_spacing": 14.0,
}

_PADDINGS = {
    "window_padding": (12.0, 10.0),
    "frame_padding": (8.0, 4.0),
    "item_spacing": (8.0, 6.0),
    "item_inner_spacing": (6.0, 4.0),
}


class Theme:
    """Applies itself to a style, again and again at other scales without drifting."""

    def __init__(self, style: Any) -> None:
        self._style = style
        for name, (colour, alpha) in _COLOURS.items():
            index = getattr(imgui.Col_, name, None)
            if index is not None:
                style.set_color_(index.value, imgui.ImVec4(*colour, alpha))
        for name, size in _SIZES.items():
            setattr(style, name, size)
        for name, (x, y) in _PADDINGS.items():
            setattr(style, name, imgui.ImVec2(x, y))
        self._unscaled = {name: _copy(getattr(style, name)) for name in dir(style) if _is_size(style, name)}
        self._scale = 0.0

    def set_scale(self, scale: float) -> None:
        """Sizes and text `scale` times as large as designed."""
        if scale == self._scale:
            return
        self._scale = scale
        for name, value in self._unscaled.items():
            setattr(self._style, name, _copy(value))
        self._style._main_scale = 1.0  # how thick the lines of buttons are: multiplied by the next call, too
        self._style.scale_all_sizes(scale)
        self._style.font_size_base = FONT_SIZE
        self._style.font_scale_main = scale


def _is_size(style: Any, name: str) -> bool:
    if name.startswith(("_", "font_", "color", "set_")) or callable(getattr(style, name)):
        return False
    return isinstance(getattr(style, name), (float, imgui.ImVec2))


def _copy(value: Any) -> Any:
    return imgui.ImVec2(value.x, value.y) if isinstance(value, imgui.ImVec2) else value
