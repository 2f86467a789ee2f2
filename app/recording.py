"""F9: films of the window while it is in use, one picture a displayed frame."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .errors import UserError
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
        self._size: tuple[int, ...] | None = None

    def add(self, target: Any, size: tuple[int, int]) -> None:
        """Takes the picture of `size` in `target`; once the size has changed no more are taken."""
        pixels = read_target(target, size)
        if self._size in (None, pixels.shape):
            self._size = pixels.shape
            self._writer.add(pixels)
            self.frames += 1

    def close(self) -> None:
        """Completes the film."""
        self._stack.close()


def toggle(application: Application) -> None:
    """Starts a film, or ends the one that is being made."""
    if application.recording is None:
        application.recording = Recording()
        application.say("recording; F9 ends it")
        return
    recording, application.recording = application.recording, None
    recording.close()
    application.say(f"film: {recording.path}, {recording.frames} frames")
