"""F12: a picture of the window, with or without the panels, in the user's pictures folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .application import Application


def take_screenshot(application: Application, with_panels: bool) -> None:
    """Asks for a picture of the frame that is drawn next; a status line says where it went."""

    def save(target: Any) -> None:
        from .view.picture import read_pixels, write_png

        path = new_path("png")
        try:
            write_png(path, read_pixels(target))
            application.say(f"picture: {path}")
        except Exception as error:
            application.show_error(error)

    (application.after_draw if with_panels else application.before_panels).append(save)


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
