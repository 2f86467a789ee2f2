"""Asks before a file is replaced that was made by something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from .protocol import PanelHost
from .question import Question, ask

REPLACE, KEEP = "Replace", "Keep"


def replace_or_ask(app: PanelHost, files: Sequence[Path], save: Callable[[], object]) -> None:
    """Saves at once when there are no files in the way, else once a person says that they may be replaced."""
    if not files:
        save()
        return
    names = " and ".join(file.name for file in files)
    places = " and ".join(str(file.absolute()) for file in files)
    there, them = ("is", "it") if len(files) == 1 else ("are", "them")
    text = f"{places} {there} there already. Replacing {them} cannot be undone."

    def answered(answer: str) -> None:
        if answer == REPLACE:
            save()

    # The keyboard is on the first answer: Enter pressed once too often replaces nothing.
    ask(app, Question(f"Replace {names}?", text, (KEEP, REPLACE), answered))
