"""The help overlay: every key of the key table, by section."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from ..lab.keys import sections
from .protocol import PanelHost
from .widgets import em

MOUSE = (
    ("Left", "Poke, or use the tool in hand"),
    ("Right drag", "Turn the camera"),
    ("Middle drag", "Slide the view (or Shift and the right button)"),
    ("Wheel", "Zoom to the cursor"),
    ("Double click", "On a slider: its default"),
    ("Ctrl+click", "On a slider: type a value"),
)


def draw(app: PanelHost) -> None:
    """One frame of the overlay, while it is open."""
    if app.gui is None or not app.gui.help_visible:
        return
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(ImVec2(size.x / 2, size.y / 2), imgui.Cond_.always.value, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(ImVec2(min(em(62), 0.96 * size.x), min(em(47), 0.96 * size.y)))
    imgui.set_next_window_bg_alpha(0.96)
    flags = imgui.WindowFlags_.no_collapse.value | imgui.WindowFlags_.no_saved_settings.value
    flags |= imgui.WindowFlags_.no_move.value | imgui.WindowFlags_.no_resize.value
    _, stays = imgui.begin("Keys and mouse###help", True, flags)
    if not stays:
        app.gui.help_visible = False
    pages = list(sections().items())
    pages.insert(0, ("Mouse", list(MOUSE)))
    columns = (
        3 if imgui.get_content_region_avail().x > em(48) else 2 if imgui.get_content_region_avail().x > em(30) else 1
    )
    if imgui.begin_table("pages", columns, imgui.TableFlags_.sizing_stretch_same.value):
        for column in _balanced(pages, columns):
            imgui.table_next_column()
            for title, lines in column:
                _page(title, lines)
        imgui.end_table()
    imgui.end()


def _balanced(
    pages: list[tuple[str, list[tuple[str, str]]]], columns: int
) -> list[list[tuple[str, list[tuple[str, str]]]]]:
    """Sections dealt to columns in order, so that the columns are about equally long."""
    total = sum(len(lines) + 2 for _, lines in pages)
    dealt: list[list[tuple[str, list[tuple[str, str]]]]] = [[] for _ in range(columns)]
    filled, column = 0, 0
    for page in pages:
        length = len(page[1]) + 2
        if column < columns - 1 and dealt[column] and filled + length / 2 > total * (column + 1) / columns:
            column += 1
        dealt[column].append(page)
        filled += length
    return dealt


def _page(title: str, lines: list[tuple[str, str]]) -> None:
    imgui.separator_text(title)
    for chord, words in lines:
        start = imgui.get_cursor_pos_x()
        imgui.text_colored(imgui.get_style_color_vec4(imgui.Col_.check_mark.value), chord)
        imgui.same_line(0.0, em(0.6))
        imgui.set_cursor_pos_x(max(imgui.get_cursor_pos_x(), start + em(6.2)))
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(words)
        imgui.pop_text_wrap_pos()
