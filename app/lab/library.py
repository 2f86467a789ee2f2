"""Scene documents and presets of a session: opening, saving, sharing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import UserError, one_line
from ..resample import resample
from ..scenes import find_scene
from . import document as documents
from .checkpoint import load_checkpoint, save_checkpoint
from .document import Document
from .presets import Preset, gallery
from .setup import Setup
from .unsaved import Drawn, unsaved_path

if TYPE_CHECKING:
    from .session import Lab


class Library:
    """The document that is open, where it came from, and the gallery. Refusals go to the error dialog.

    with_waves: whether saving it writes its fields beside it; at first what the document did when it was opened.
    opened: how many documents were opened, so that others notice another one.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.document = Document(title=lab.host.simulation.scene.title, setup=lab.setup)
        self.path: Path | None = None
        self.preset_index: int | None = None
        self.with_waves = False
        self.opened = 0
        self._drawn = Drawn(lab.setup)
        self._waves: Path | None = None  # the document's own checkpoint
        self.asks_for: Literal["", "open", "save"] = ""  # the Document panel unfolds and takes the keyboard

    # ---- opening

    def open(self, document: Document, path: Path | None = None) -> None:
        """Shows a document: another scene with still water and an empty history.

        What was drawn before and not saved is kept in a file, which the message names.
        """
        kept = self._keep()
        self._take(document, path)
        self._lab.show(document.setup)
        self._drawn.mark_safe(self._lab.setup)
        self._lab.message = "; ".join(words for words in (kept, self._lab.message) if words)
        if document.look:
            self._set_look(document.look)
        if document.camera:
            self._lab.host.set_camera_pose(document.camera)

    def follow(self, setup: Setup, title: str) -> None:
        """Another scene is shown already: it becomes the document, and the lab's setup is about to be dropped."""
        kept = self._keep()
        self._take(Document(title=title, setup=setup), None)
        self._drawn.mark_safe(setup)
        self._lab.message = kept or self._lab.message

    def _take(self, document: Document, path: Path | None) -> None:
        self.document, self.path, self.preset_index = document, path, None
        self.with_waves = bool(document.checkpoint)
        self._waves = path.parent / document.checkpoint if path is not None and document.checkpoint else None
        self.opened += 1

    def load(self, path: str | Path) -> bool:
        """Opens a scene file, with its checkpoint where it names one; False when it is refused.

        The file of what was not saved is read, but it is no place of the document's: it stays unsaved.
        """
        path = Path(path)
        try:
            document = documents.load(path, self._lab.parameters_of)
            self._check_look(document, path)
            fields = self._checkpoint_of(document, path)
        except UserError as error:
            self._lab.host.show_error(error)
            return False
        unsaved = path.resolve() == unsaved_path().resolve()
        self.open(document, None if unsaved else path)
        if unsaved:
            self._drawn.mark_safe(None)
        if fields is not None:
            self._lab.restore_fields(fields)
        self._lab.message = self._lab.message or f"opened {path.name}"
        return True

    def open_text(self, text: str) -> bool:
        """Opens a scene from text, as from the clipboard."""
        try:
            document = documents.parse(text, "clipboard", self._lab.parameters_of)
            self._check_look(document, "clipboard")
        except UserError as error:
            self._lab.host.show_error(error)
            return False
        self.open(document)
        return True

    def _checkpoint_of(self, document: Document, path: Path) -> dict[str, np.ndarray] | None:
        if not document.checkpoint:
            return None
        running = self._lab.host.simulation.scene
        scene = running if document.setup.scene == running.name else find_scene(document.setup.scene)
        try:
            return load_checkpoint(path.parent / document.checkpoint, scene.fields, document.setup.grid.shape)
        except UserError as error:
            raise UserError(f"{path}: checkpoint is {document.checkpoint!r}: {error}") from error

    def _check_look(self, document: Document, origin: str | Path) -> None:
        """Refuses, before anything is shown, options that the view does not have. Raises UserError."""
        here = self._lab.host.look
        try:
            type(here).from_dict({**here.to_dict(), **document.look})
        except ValueError as error:
            raise UserError(f"{origin}: {error}") from error

    def _set_look(self, look: Mapping[str, Any]) -> None:
        here = self._lab.host.look
        try:
            wanted = type(here).from_dict({**here.to_dict(), **look})
        except ValueError as error:
            self._lab.host.show_error(error)
            return
        for name, value in wanted.to_dict().items():
            setattr(here, name, value)

    # ---- saving

    def current(self) -> Document:
        """The scene as it is now, view included."""
        host = self._lab.host
        look, camera = host.look.to_dict(), host.camera_pose()
        setup = self._lab.setup.with_grid(self._lab.setup.grid)  # reading refuses what lies outside the basin
        return replace(self.document, setup=setup, look=look, camera=camera, checkpoint="")

    def text(self) -> str:
        """The scene as one TOML text, to share."""
        return documents.to_text(self.current())

    def save(self, path: str | Path, with_waves: bool | None = None) -> bool:
        """Saves the scene; with_waves: and its fields beside it, so that opening goes on where this left off.

        The choice stays with the document; None is the choice of before.
        """
        path, with_waves = _with_suffix(Path(path)), self.with_waves if with_waves is None else with_waves
        document = self.current()
        try:
            if with_waves:
                document = replace(document, checkpoint=f"{path.stem}.npz")
                shape, waves = self._lab.setup.grid.shape, self._lab.host.simulation.checkpoint()
                fields = {name: resample(field, shape) for name, field in waves.items()}
                save_checkpoint(path.parent / document.checkpoint, fields)
                self._waves = path.parent / document.checkpoint
            documents.save(path, document)
        except UserError as error:
            self._lab.host.show_error(error)
            return False
        self.path, self.with_waves = path, with_waves
        self._drawn.mark_safe(self._lab.setup)
        self._lab.message = f"saved {path}" + (" with its waves" if with_waves else "")
        return True

    def in_the_way(self, path: str | Path) -> list[Path]:
        """Files of something else that saving there would replace; the document's own ones are not among them."""
        path = _with_suffix(Path(path))
        wanted = [path, path.with_suffix(".npz")] if self.with_waves else [path]
        own = {file.resolve() for file in (self.path, self._waves) if file is not None}
        return [file for file in wanted if file.is_file() and file.resolve() not in own]

    def save_again(self) -> bool:
        """Saves where the scene came from; asks for a place when that is nowhere, or when something else lies there."""
        if self.path is None or self.in_the_way(self.path):
            self.asks_for = "save"
            return False
        return self.save(self.path)

    def ask_what_to_open(self) -> None:
        """Has the Document panel ask for a file."""
        self.asks_for = "open"

    def keep_unsaved(self) -> Path | None:
        """Writes what was drawn and never saved to a file of its own; None when there is none. Raises UserError."""
        setup = self._lab.setup
        if not self._drawn.is_lost_with(setup):
            return None
        documents.save(unsaved_path(), self.current())
        self._drawn.mark_safe(setup)
        return unsaved_path()

    def _keep(self) -> str:
        """The same, and the line that says so."""
        try:
            kept = self.keep_unsaved()
        except UserError as error:
            return f"what was drawn and not saved is lost: {one_line(error)}"
        return f"what was drawn and not saved is in {kept}" if kept is not None else ""

    def copy(self) -> None:
        """The scene into the clipboard."""
        gui = self._lab.host.gui
        if gui is not None:
            gui.set_clipboard(self.text())
            self._lab.message = "the scene is in the clipboard"

    def paste(self) -> None:
        """The scene in the clipboard, opened."""
        gui = self._lab.host.gui
        if gui is not None:
            self.open_text(gui.clipboard())

    # ---- presets

    @property
    def presets(self) -> list[Preset]:
        """The gallery."""
        return gallery()

    def open_preset(self, index: int) -> bool:
        """Opens a preset by its place in the gallery, from 0; False beyond its end."""
        presets = self.presets
        if not 0 <= index < len(presets):
            return False
        try:
            self.open(presets[index].document())
        except UserError as error:
            self._lab.host.show_error(error)
            return False
        self.preset_index = index
        self._lab.host.settings.preset = presets[index].name
        return True

    def next_preset(self, step: int) -> bool:
        """The preset `step` places on, around the gallery's ends."""
        here = self.preset_index if self.preset_index is not None else (-1 if step > 0 else 0)
        return self.open_preset((here + step) % len(self.presets))


def _with_suffix(path: Path) -> Path:
    """The path that a scene is saved at."""
    return path if path.suffix == ".toml" else path.with_name(path.name + ".toml")
