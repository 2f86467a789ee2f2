"""What the panels remember between frames: half-typed texts and what is unfolded. Nothing of the simulation."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class PanelState:
    """One for an application."""

    scene_path: str = ""
    scene_path_of: int = 0
    enter_saves: bool = False
    capture_path: str = ""
    csv_path: str = "probes.csv"
    csv_written: Path | None = None
    picture_path: str = ""
    pose_text: str = ""
    caption_age: float = 0.0
    caption_title: str = ""
    hint_age: float = 0.0
    question: Any = None
    capture: Any = None
    operations: list[tuple[str, str, str]] = field(default_factory=list)
    operation: int | None = None
    room: tuple[float, float] | None = None
    room_of: tuple[int, int] = (0, 0)


_states: weakref.WeakKeyDictionary[Any, PanelState] = weakref.WeakKeyDictionary()


def state_of(app: Any) -> PanelState:
    """The state that belongs to an application."""
    return _states.setdefault(app, PanelState())
