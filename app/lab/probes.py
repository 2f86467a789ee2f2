"""Probes: where a person measures, the trace a probe has recorded, and what its spectrum says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MAX_PROBES = 8


@dataclass(frozen=True)
class Probe:
    """A place on the surface, in widths of the basin. uid: tells a probe from its copy while it is dragged."""

    x: float = 0.5
    y: float = 0.5
    uid: int = field(default=0, compare=False)


class Trace:
    """The last `capacity` samples of a quantity over simulated time, oldest first when read."""

    def __init__(self, capacity: int = 2048) -> None:
        if capacity < 2:
            raise ValueError(f"Trace: capacity {capacity} must be at least 2")
        self._times = np.zeros(capacity)
        self._values = np.zeros(capacity)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self._times))

    def add(self, time: float, value: float) -> None:
        """Adds a sample; the oldest goes when the trace is full. A time that steps back starts the trace anew."""
        if self._count and time < self._times[(self._count - 1) % len(self._times)]:
            self._count = 0
        slot = self._count % len(self._times)
        self._times[slot], self._values[slot] = time, value
        self._count += 1

    def clear(self) -> None:
        """Forgets every sample."""
        self._count = 0

    def samples(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(times in s, values), oldest first, contiguous copies."""
        size = len(self._times)
        if self._count <= size:
            return self._times[: self._count].copy(), self._values[: self._count].copy()
        turn = self._count % size
        return np.roll(self._times, -turn), np.roll(self._values, -turn)

    @property
    def last(self) -> float:
        """The newest value; NaN when there is none."""
        return float(self._values[(self._count - 1) % len(self._values)]) if self._count else math.nan


@dataclass(frozen=True)
class Spectrum:
    """Amplitude over frequency. dominant: Hz, between the bins; 0 when nothing oscillates."""

    frequencies: NDArray[np.float64]
    amplitudes: NDArray[np.float64]
    dominant: float


def spectrum(times: NDArray[np.float64], values: NDArray[np.float64]) -> Spectrum:
    """The spectrum of a trace: mean and slope removed, Hann window, amplitudes in the unit of the values.

    Times need not be evenly spaced (the time scale may have been changed): samples are interpolated onto an even grid.
    The dominant frequency is the peak of the parabola through the logarithms of the highest bin and its neighbours.
    """
    count = len(times)
    if count < 8 or not times[-1] > times[0] or not np.all(np.isfinite(values)):
        return Spectrum(np.zeros(0), np.zeros(0), 0.0)
    even = np.linspace(times[0], times[-1], count)
    signal = np.interp(even, times, values)
    place = np.linspace(-1.0, 1.0, count)
    signal = signal - signal.mean()
    signal = signal - place * float(signal @ place) / float(place @ place)
    window = np.hanning(count)
    padded = 4 * count
    amplitudes = np.abs(np.fft.rfft(signal * window, padded)) * 2.0 / window.sum()
    frequencies = np.fft.rfftfreq(padded, (times[-1] - times[0]) / (count - 1))
    return Spectrum(frequencies, amplitudes, _peak(frequencies, amplitudes, lowest=6))


def _peak(frequencies: NDArray[np.float64], amplitudes: NDArray[np.float64], lowest: int) -> float:
    """Frequency of the highest bin from `lowest` on, refined between bins. Below, the removed mean leaks."""
    if len(amplitudes) <= lowest + 2 or not float(amplitudes.max()) > 1e-9:
        return 0.0
    top = lowest + int(np.argmax(amplitudes[lowest:-1]))
    below, here, above = np.log(np.maximum(amplitudes[top - 1 : top + 2], 1e-300))
    bend = below - 2.0 * here + above
    shift = 0.5 * (below - above) / bend if bend < 0 else 0.0
    return float((top + np.clip(shift, -0.5, 0.5)) * (frequencies[1] - frequencies[0]))


def sample(heights: NDArray[np.float32], probe: Probe) -> float:
    """The height at a probe, bilinear between the cells, held at the borders. heights: (height, width)."""
    height, width = heights.shape
    x = min(max(probe.x * width - 0.5, 0.0), width - 1.0)
    y = min(max(probe.y * width - 0.5, 0.0), height - 1.0)
    i, j = min(int(x), max(width - 2, 0)), min(int(y), max(height - 2, 0))
    i1, j1 = min(i + 1, width - 1), min(j + 1, height - 1)
    a, b = x - i, y - j
    far = (1 - a) * float(heights[j, i]) + a * float(heights[j, i1])
    near = (1 - a) * float(heights[j1, i]) + a * float(heights[j1, i1])
    return float((1 - b) * far + b * near)


def to_csv(traces: Sequence[tuple[str, Trace]]) -> str:
    """Traces side by side as CSV: one time column, then one column each, empty where a trace has no sample."""
    table: dict[float, list[str]] = {}
    for column, (_, trace) in enumerate(traces):
        for time, value in zip(*trace.samples()):
            table.setdefault(float(time), [""] * len(traces))[column] = f"{value:.9g}"
    head = ",".join(["time_s", *(_quoted(name) for name, _ in traces)])
    lines = [",".join([f"{time:.9g}", *cells]) for time, cells in sorted(table.items())]
    return "\n".join([head, *lines]) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(sign in name for sign in ',"\n') else name
