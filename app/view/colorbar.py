"""The colour bar's numbers: range, and ticks at round values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .statistics import Statistics


@dataclass(frozen=True)
class Colorbar:
    """What a colour bar shows. lut: (256, 3) uint8 from low to high; ticks: (value, text)."""

    low: float
    high: float
    ticks: list[tuple[float, str]]
    lut: NDArray[np.uint8]


def round_step(span: float, pieces: int) -> float:
    """1, 2 or 5 times a power of ten, so that `span` holds about `pieces` of it."""
    raw = span / max(pieces, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw * 0.999) * power


def ticks(low: float, high: float, pieces: int = 6) -> list[tuple[float, str]]:
    """Round values within [low, high] with their text; zero is exactly zero."""
    step = round_step(high - low, pieces)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [index * step for index in range(first, last + 1)]
    return [(value, f"{value:.{digits}f}" if value else "0") for value in values]


class RangeFollower:
    """The automatic range: symmetric about zero, quick to grow and slow to shrink, so that colours do not flicker."""

    LEAST = 1e-3
    SHRINK = 0.02
    # A lone peak may leave the range, so that the waves around it still show: this many times the typical height ...
    TYPICAL = 6.0
    # ... but never less than this part of the peak.
    PEAK = 0.4

    def __init__(self) -> None:
        self.value = 0.1

    def follow(self, heights: Statistics) -> float:
        """Half width of the range for these heights."""
        peak = max(abs(heights.low), abs(heights.high))
        if math.isfinite(peak):
            wanted = max(min(1.05 * peak, max(self.TYPICAL * heights.rms, self.PEAK * peak)), self.LEAST)
            self.value = wanted if wanted > self.value else self.value + self.SHRINK * (wanted - self.value)
        return self.value
