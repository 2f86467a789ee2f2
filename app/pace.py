"""How many simulated frames fall into a displayed one."""

from __future__ import annotations

from .scene import FRAME_RATE

MAX_CATCH_UP = 4
"""Frames simulated for one displayed; a machine that is slower than this runs in slow motion rather than not at all."""


class Pace:
    """Keeps simulated time level with the clock, whatever the display's rate."""

    def __init__(self) -> None:
        self._owed = 0.0

    def due(self, seconds: float) -> int:
        """Simulated frames to run for a displayed frame that lasted so long."""
        self._owed += max(0.0, seconds) * FRAME_RATE
        # Displays near the simulated rate get one frame each, rather than now none and now two.
        frames = int(self._owed + 0.25)
        if frames >= MAX_CATCH_UP:
            self._owed = 0.0
            return MAX_CATCH_UP
        self._owed -= frames
        return frames

    def reset(self) -> None:
        """Forgets what is owed, after a pause or a stall."""
        self._owed = 0.0
