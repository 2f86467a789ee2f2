"""How long the phases of a frame take: rolling records with minimum, median and maximum."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

import numpy as np

PHASES = ("simulation", "transfer", "draw")


@dataclass(frozen=True)
class Summary:
    """Milliseconds over the frames on record."""

    count: int
    minimum: float
    median: float
    maximum: float

    def as_dict(self) -> dict[str, float]:
        return {"count": self.count, "min_ms": self.minimum, "median_ms": self.median, "max_ms": self.maximum}


class Series:
    """The last `length` values of one quantity, oldest first when read."""

    def __init__(self, length: int = 240) -> None:
        self._values: np.ndarray = np.zeros(length, dtype=np.float32)
        self._count = 0

    def add(self, value: float) -> None:
        self._values[self._count % len(self._values)] = value
        self._count += 1

    def clear(self) -> None:
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self._values))

    @property
    def last(self) -> float:
        """The newest value; 0 before there is one."""
        return float(self._values[(self._count - 1) % len(self._values)]) if self._count else 0.0

    def values(self) -> np.ndarray:
        """A copy, oldest first, float32."""
        if self._count < len(self._values):
            return np.array(self._values[: self._count])
        oldest = self._count % len(self._values)
        values: np.ndarray = np.concatenate([self._values[oldest:], self._values[:oldest]])
        return values

    def summary(self) -> Summary:
        values = self.values()
        if not len(values):
            return Summary(0, 0.0, 0.0, 0.0)
        return Summary(len(values), float(values.min()), float(np.median(values)), float(values.max()))


class Timings:
    """One series of milliseconds for each phase of the frame, and one for the whole frame."""

    def __init__(self, length: int = 240) -> None:
        self.phases = {name: Series(length) for name in PHASES}
        self.frame = Series(length)

    @contextmanager
    def measure(self, phase: str) -> Iterator[None]:
        """Adds the time of the block to the phase, in milliseconds of wall clock."""
        start = perf_counter()
        yield
        self.phases[phase].add((perf_counter() - start) * 1e3)

    @property
    def frame_rate(self) -> float:
        """Frames a second over the frames on record; 0 before there are any."""
        values = self.frame.values()
        total = float(values.sum())
        return 1e3 * len(values) / total if total > 0 else 0.0

    def clear(self) -> None:
        for series in (*self.phases.values(), self.frame):
            series.clear()
