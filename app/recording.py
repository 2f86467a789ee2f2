"""F9: films of the window while it is in use, one picture a displayed frame."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from .errors import UserError
from .messages import counted
from .screenshot import new_path, read_target
from .video import Writer, open_film

if TYPE_CHECKING:
    from .application import Application


class Recording:
    """A film that is being made. While it lasts every displayed frame is one simulated frame, so time runs evenly."""

    def __init__(self) -> None:
        try:
            self.path = new_path("mp4")
            self._stack = ExitStack()
            self._writer: Writer = self._stack.enter_context(open_film(self.path))
        except UserError:
            self.path = new_path("mp4").with_suffix("")
            self._writer = self._stack.enter_context(open_film(self.path))
        self.frames = 0
        self._size: tuple[int, int] | None = None

    def add(self, target: Any, size: tuple[int, int]) -> bool:
        """Takes the picture of `size` in `target`; False when the size is no longer the film's."""
        if self._size not in (None, size):
            return False
        self._size = size
        self._writer.add(read_target(target, size))
        self.frames += 1
        return True

    def close(self) -> None:
        """Completes the film."""
        self._stack.close()

    def abandon(self, error: Exception) -> None:
        """Leaves no half a film behind."""
        with suppress(Exception):
            self._stack.__exit__(type(error), error, error.__traceback__)


def toggle(application: Application) -> None:
    """Starts a film, or ends the one that is being made."""
    if application.recording is None:
        application.recording = Recording()
        application.say("recording; F9 ends it")
        return
    end(application)


def end(application: Application, reason: str = "") -> None:
    """Completes the film that is being made and says where it is."""
    recording, application.recording = application.recording, None
    if recording is None:
        return
    recording.close()
    application.say(f"{reason}film: {recording.path}, {counted(recording.frames, 'frame')}")


def take(application: Application, target: Any) -> None:
    """Adds the picture just drawn to the film that is being made; a window of another size ends it."""
    recording = application.recording
    if recording is None:
        return
    try:
        if not recording.add(target, application.viewport.framebuffer):
            end(application, "the window has another size; ")
    except Exception as error:
        application.recording = None
        recording.abandon(error)
        application.show_error(f"the film could not be written: {error}")
