"""What was drawn and never saved: kept in a file of its own when another scene takes its place."""

from __future__ import annotations

from pathlib import Path

from ..settings import default_path
from .setup import Setup


def unsaved_path() -> Path:
    """`unsaved.toml` beside the user's settings: one file, the newest."""
    return default_path().with_name("unsaved.toml")


class Drawn:
    """Whether there are walls, edges, sources or probes that no file and no preset has.

    Sliders alone do not count: what they change is soon made again, and would push out what was drawn.
    """

    def __init__(self, setup: Setup) -> None:
        self._safe: Setup | None = setup

    def mark_safe(self, setup: Setup | None) -> None:
        """A setup that can be had again. None: whatever there is cannot."""
        self._safe = setup

    def is_lost_with(self, setup: Setup) -> bool:
        """Whether dropping the setup would lose any of it."""
        if self._safe is None:
            return True
        safe = self._safe.with_grid(setup.grid)  # another grid moves what would float outside of it
        return _drawn(safe) != _drawn(setup)


def _drawn(setup: Setup) -> tuple[object, ...]:
    return setup.walls, setup.boundaries, setup.sources, setup.probes
