"""The gallery: scene documents that come with the program, in the order they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..errors import UserError
from . import document as documents
from .document import Document

ORDER = (
    "single-drop",
    "two-sources",
    "single-slit",
    "double-slit",
    "lens",
    "corner-reflector",
    "standing-mode",
    "doppler",
    "rain",
    "absorbing-bay",
    "whispering-gallery",
    "plane-wave",
)
"""File names in assets/presets, without `.toml`. The first nine have the keys 1 to 9."""


@dataclass(frozen=True)
class Preset:
    """One scene of the gallery. note: one line of what to notice."""

    name: str
    title: str
    note: str
    text: str

    def document(self) -> Document:
        """The scene, checked as any file would be."""
        from .session import scene_parameters

        return documents.parse(self.text, f"preset {self.name}", scene_parameters)


@lru_cache(maxsize=1)
def _read_gallery() -> tuple[Preset, ...]:
    folder = resources.files(__package__.rpartition(".app")[0]) / "assets" / "presets"
    presets = []
    for name in ORDER:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        document = documents.parse(text, f"preset {name}")
        presets.append(Preset(name, document.title, document.note, text))
    return tuple(presets)


def gallery() -> list[Preset]:
    """Every preset, in order. Raises UserError when the installation lacks its files."""
    try:
        return list(_read_gallery())
    except OSError as error:
        raise UserError(f"the gallery cannot be read ({error}): reinstall whitecap") from error


def find_preset(name: str) -> int:
    """The place of a preset by name. Raises UserError, naming the ones there are."""
    if name not in ORDER:
        raise UserError(f"preset {name!r}: there is none of that name; give one of {', '.join(ORDER)}")
    return ORDER.index(name)
