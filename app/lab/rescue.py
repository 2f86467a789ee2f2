"""Keeps the last good state of the waves, and notices the frame in which they run away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .setup import Setup
from .stability import RunawayDetector

CELLS_EACH_FRAME = 1 << 16
"""Grids up to this many cells are kept every frame; larger ones less often, so that keeping costs little."""

FEWEST_FRAMES_ON_DEVICE = 30
"""Frames between two copies from a GPU: each one waits for the device."""


@dataclass(frozen=True)
class Good:
    """A state to go back to."""

    setup: Setup
    fields: Mapping[str, np.ndarray]


class Rescue:
    """Two kept states: the newest is trusted only when the frame after it was good as well."""

    def __init__(self) -> None:
        self.reason = ""
        self._detector = RunawayDetector()
        self._kept: Good | None = None
        self._trusted: Good | None = None
        self._age = 0

    @property
    def tripped(self) -> bool:
        """Whether the waves ran away and nobody has gone back yet."""
        return bool(self.reason)

    @property
    def good(self) -> Good | None:
        """The last good state; None before the first."""
        return self._trusted or self._kept

    def clear(self) -> None:
        """Another scene, or still water: nothing before this counts."""
        self.reason = ""
        self._detector.reset()
        self._kept = self._trusted = None
        self._age = 0

    def check(
        self,
        simulation: Any,
        setup: Setup,
        stable: bool,
        heights: np.ndarray | None,
        extremes: tuple[float, float] | None,
    ) -> str:
        """Why this frame is bad, in one line, or an empty text; good states are kept now and then.

        stable: of an unstable setup nothing is kept, since going back there would only run away again.
        """
        if heights is not None:
            reason = self._detector.check(heights)
        elif extremes is not None:
            reason = self._detector.check_range(*extremes)
        else:
            reason = ""
        if reason:
            self.reason = reason
            return reason
        self.reason = ""
        self._age += 1
        cells = simulation.grid.width * simulation.grid.height
        interval = max(1, cells // CELLS_EACH_FRAME)
        if simulation.device != "cpu":
            interval = max(interval, FEWEST_FRAMES_ON_DEVICE)
        if self._kept is None or (stable and self._age >= interval):
            self._trusted, self._kept = self._kept, Good(setup, simulation.checkpoint())
            self._age = 0
        return ""
