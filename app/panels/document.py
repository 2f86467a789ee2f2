"""The Document panel: the scene as a file, and as text to share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from imgui_bundle import imgui

from .capture import load_capture
from .protocol import PanelHost
from .state import state_of
from .widgets import button, label, note, path_field, row_of, switch


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    label("Title")
    changed, title = imgui.input_text("##title", lab.document.title)
    if changed:
        lab.document = replace(lab.document, title=title[:120])
    label("Note", "What there is to notice.")
    changed, words = imgui.input_text("##note", lab.document.note)
    if changed:
        lab.document = replace(lab.document, note=words[:2000])
    state = state_of(app)
    shown = state.scene_path or (str(lab.path) if lab.path else "")
    state.scene_path, entered = path_field("scene", shown, "scene.toml")
    waves = switch(
        "Save the waves too", state.with_waves, "Heights go into a .npz beside the scene, so it goes on where it was."
    )
    if waves is not None:
        state.with_waves = waves
    width = row_of(2)
    if button(
        "Save", "Scene, walls, sources, probes, look and camera as one TOML file.", width, bool(state.scene_path)
    ):
        save(app)
    imgui.same_line()
    if button("Open", "A scene file, or a capture (.wrp).", width, enabled=bool(state.scene_path)) or entered:
        open_path(app, state.scene_path)
    width = row_of(2)
    if button("Copy as text", "The whole scene into the clipboard.", width, enabled=app.gui is not None):
        copy_text(app)
    imgui.same_line()
    if button("Paste", "Opens the scene that is in the clipboard.", width, enabled=app.gui is not None):
        paste_text(app)
    if lab.path is not None:
        note(str(lab.path))


def save(app: PanelHost) -> None:
    """Saves to the path in the field, or to the document's own."""
    lab, state = app.lab, state_of(app)
    if lab is None:
        return
    text = state.scene_path or (str(lab.path) if lab.path else "scene.toml")
    lab.save(Path(text).expanduser(), state.with_waves)


def open_path(app: PanelHost, text: str) -> None:
    """Opens a scene file, or a capture when the name ends in `.wrp`."""
    if text.endswith(".wrp"):
        load_capture(app, text)
    elif app.lab is not None:
        app.lab.load(Path(text).expanduser())


def copy_text(app: PanelHost) -> None:
    """The scene into the clipboard."""
    if app.gui is not None and app.lab is not None:
        app.gui.set_clipboard(app.lab.text())
        app.lab.message = "the scene is in the clipboard"


def paste_text(app: PanelHost) -> None:
    """The scene in the clipboard, opened."""
    if app.gui is not None and app.lab is not None:
        app.lab.open_text(app.gui.clipboard())
