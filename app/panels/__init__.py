"""The panels: a dock at the left, a status line, and what lies over the water."""

from __future__ import annotations

from .protocol import PanelHost


def draw(app: PanelHost) -> None:
    """One frame of everything, between ImGui's `new_frame` and `render`."""
    from imgui_bundle import imgui

    from . import dock, errors, help, layout, overlay, question, status

    if app.gui is not None and app.gui.panels_visible:
        layout.make_room(app, dock.dock_width(imgui.get_io().display_size.x), status.status_height())
        dock.draw(app)
        status.draw(app)
        overlay.draw(app)
    else:
        layout.make_room(app, 0.0, 0.0)
    overlay.draw_rescue(app)
    question.draw(app)
    help.draw(app)
    errors.draw(app)
