"""The Document panel: the scene as a file, and as text to share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from imgui_bundle import imgui

from .capture import load_capture
from .protocol import PanelHost
from .replace import replace_or_ask
from .state import state_of
from .widgets import button, label, note, path_field, row_of, switch


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    if app.lab is None:
        return
    library = app.lab.library
    label("Title")
    changed, title = imgui.input_text("##title", library.document.title)
    if changed:
        library.document = replace(library.document, title=title[:120])
    label("Note", "What there is to notice.")
    changed, words = imgui.input_text("##note", library.document.note)
    if changed:
        library.document = replace(library.document, note=words[:2000])
    state = state_of(app)
    if state.scene_path_of != library.opened:  # a path is typed for one document
        state.scene_path, state.scene_path_of = "", library.opened
    if library.asks_for:
        state.enter_saves, library.asks_for = library.asks_for == "save", ""
        imgui.set_keyboard_focus_here()
    shown = state.scene_path or (str(library.path) if library.path else "")
    state.scene_path, entered = path_field("scene", shown, "scene.toml")
    waves = switch(
        "Save the waves too", library.with_waves, "Heights go into a .npz beside the scene, so it goes on where it was."
    )
    if waves is not None:
        library.with_waves = waves
    width = row_of(2)
    named = bool(state.scene_path)
    saves = button("Save", "Scene, walls, sources, probes, look and camera in one file.", width, named)
    imgui.same_line()
    opens = button("Open", "A scene file, or a capture (.wrp).", width, named)
    if saves or (entered and state.enter_saves):
        save(app)
    elif opens or entered:
        open_path(app, state.scene_path)
    state.enter_saves = state.enter_saves and not entered
    width = row_of(2)
    if button("Copy as text", "The whole scene into the clipboard.", width, enabled=app.gui is not None):
        library.copy()
    imgui.same_line()
    if button("Paste", "Opens the scene that is in the clipboard.", width, enabled=app.gui is not None):
        library.paste()
    if library.path is not None:
        note(str(library.path))


def save(app: PanelHost) -> None:
    """Saves to the path in the field, or to the document's own; asks before it replaces a file of something else."""
    if app.lab is None:
        return
    library, state = app.lab.library, state_of(app)
    path = Path(state.scene_path or library.path or "scene.toml").expanduser()
    replace_or_ask(app, library.in_the_way(path), lambda: library.save(path))


def open_path(app: PanelHost, text: str) -> None:
    """Opens a scene file, or a capture when the name ends in `.wrp`."""
    if text.endswith(".wrp"):
        load_capture(app, text)
    elif app.lab is not None:
        app.lab.library.load(Path(text).expanduser())
