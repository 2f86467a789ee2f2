"""A question in the middle of the window, asked by the application: which binding of a loaded capture is the height?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from imgui_bundle import ImVec2, imgui

from .protocol import PanelHost
from .state import state_of
from .widgets import button, em, note


@dataclass(frozen=True)
class Question:
    """Words, the answers to choose from, and what the answer is given to."""

    title: str
    text: str
    answers: Sequence[str]
    answered: Callable[[str], None]


def ask(app: PanelHost, question: Question) -> None:
    """Shows a question; another one that is open is dropped."""
    state_of(app).question = question


def dismiss(app: PanelHost) -> bool:
    """Closes the question without an answer; False when there is none."""
    state = state_of(app)
    shown, state.question = state.question is not None, None
    if shown and app.gui is not None:
        app.gui.give_keyboard_back()
    return shown


def draw(app: PanelHost) -> None:
    """One frame of the dialog, when there is one."""
    state = state_of(app)
    question: Question | None = state.question
    if question is None:
        return
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(ImVec2(size.x / 2, size.y / 2), imgui.Cond_.always.value, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(ImVec2(min(em(26), size.x), 0.0))
    flags = imgui.WindowFlags_.no_collapse.value | imgui.WindowFlags_.no_saved_settings.value
    imgui.begin(f"{question.title}###question", None, flags | imgui.WindowFlags_.no_resize.value)
    note(question.text)
    if imgui.is_window_appearing() and app.gui is not None:
        app.gui.take_keyboard()
    for answer in question.answers:
        if button(answer, width=-1.0):
            dismiss(app)
            question.answered(answer)
    if button("Cancel", "Esc does it too."):
        dismiss(app)
    imgui.end()
