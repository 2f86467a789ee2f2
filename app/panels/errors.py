"""The error dialog: what went wrong, one line each, repeats folded."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from .protocol import PanelHost
from .widgets import DANGER, button, em


def draw(app: PanelHost) -> None:
    """One frame of the dialog, while there is anything to say."""
    if not app.errors:
        return
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(ImVec2(0.6 * size.x, 0.4 * size.y), imgui.Cond_.appearing.value, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(ImVec2(min(em(34), 0.6 * size.x), 0.0))
    imgui.set_next_window_bg_alpha(0.97)
    imgui.push_style_color(imgui.Col_.border.value, DANGER)
    flags = imgui.WindowFlags_.no_collapse.value | imgui.WindowFlags_.no_saved_settings.value
    _, stays = imgui.begin("This did not work###errors", True, flags | imgui.WindowFlags_.no_resize.value)
    imgui.pop_style_color()
    for message in app.errors.entries[-8:]:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(message.text)
        imgui.pop_text_wrap_pos()
        if message.count > 1:
            imgui.text_disabled(f"{message.count} times")
        imgui.separator()
    hidden = len(app.errors.entries) - 8
    if hidden > 0:
        imgui.text_disabled(f"and {hidden} earlier")
    if button("Close", "Esc closes it too."):
        stays = False
    imgui.same_line()
    if button("Copy", "The lines as text, for a report.") and app.gui is not None:
        app.gui.set_clipboard("\n".join(f"{m.text} (x{m.count})" for m in app.errors.entries))
    imgui.end()
    if not stays:
        app.errors.clear()
