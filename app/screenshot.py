"""F12: a picture of the window, with or without the panels, in the user's pictures folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .application import Application


def take_screenshot(application: Application, with_panels: bool) -> None:
    """Asks for a picture of the frame that is drawn next; a status line says where it went."""

    def save(target: Any) -> None:
        from .view.picture import write_png

        path = new_path("png")
        try:
            write_png(path, read_target(target, application.viewport.framebuffer))
            application.say(f"picture: {path}")
        except Exception as error:
            application.show_error(error)

    (application.after_draw if with_panels else application.before_panels).append(save)


def read_target(target: Any, size: tuple[int, int]) -> np.ndarray:
    """The lower left `size` pixels of a framebuffer: (height, width, 3) uint8, top row first.

    The window's own framebuffer does not know that the window was resized, so the size is asked for.
    """
    width, height = size
    data = target.read((0, 0, width, height), components=3, alignment=1)
    pixels: np.ndarray = np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)[::-1].copy()
    return pixels


def new_path(suffix: str) -> Path:
    """A free file name with the time of day, in the pictures folder or else the current one."""
    import platformdirs

    folder = Path(platformdirs.user_pictures_dir())
    if not folder.is_dir():
        folder = Path.cwd()
    stem = f"whitecap-{datetime.now():%Y-%m-%d-%H%M%S}"
    path = folder / f"{stem}.{suffix}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}.{suffix}"
        number += 1
    return path
