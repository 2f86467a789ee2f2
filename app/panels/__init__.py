"""The panels: a dock at the left, a status line, and what lies over the water."""

from __future__ import annotations

from .protocol import PanelHost


def draw(app: PanelHost) -> None:
    """One frame of everything, between ImGui's `new_frame` and `render`."""
    from . import dock, errors, help, overlay, question, status

    if app.gui is not None and app.gui.panels_visible:
        dock.draw(app)
        status.draw(app)
        overlay.draw(app)
    else:
        overlay.draw_marks(app)
    overlay.draw_rescue(app)
    question.draw(app)
    help.draw(app)
    errors.draw(app)
