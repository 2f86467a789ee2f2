"""Sources of waves: what a person places, and the drive that the tank's kernels are given for each sub-step.

A source adds the *increments* of a volume V(t) to the surface, so what it has added is always V(t): no drift from the
phase it starts at, from an edit, or from rounding. A pulse returns to zero by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

SourceKind = Literal["point", "line", "moving", "rain"]
Signal = Literal["continuous", "pulse"]

SOURCE_KINDS: tuple[SourceKind, ...] = ("point", "line", "moving", "rain")
SIGNALS: tuple[Signal, ...] = ("continuous", "pulse")

MAX_SOURCES = 16
"""Sources that a scene may hold; the kernels read as many entries a sub-step."""

STEP_DTYPE = np.dtype([(name, np.float32) for name in ("x0", "y0", "x1", "y1", "radius", "push")])
"""One source in one sub-step: a segment and its reach in cells, and the height added at its middle."""

USUAL_SUBSTEPS = 64
"""The table that the kernels read has room for so many sub-steps, or more where a grid has more."""

MIN_REACH = 1.5
"""Cells: a narrower source would fall between the cells and ring at the grid's own wavelength."""


def table_entries(substeps: int) -> int:
    """Entries of the table on the device: one size for all usual sub-step counts."""
    return max(substeps, USUAL_SUBSTEPS) * MAX_SOURCES


@dataclass(frozen=True)
class Source:
    """One source. Places, lengths and `radius` are in widths of the basin.

    kind: "point" at (x, y); "line" to (x2, y2); "moving" to and fro between both at `speed` (world units / s); "rain"
    drops at random places between both corners, `frequency` drops a second.
    frequency: Hz of simulated time. amplitude: about the height of the wave it makes. phase: degrees.
    signal: "continuous", or a "pulse" of `cycles` periods, again every `every` seconds (0: once).
    uid: tells a source from its copy while it is dragged; no part of a document.
    """

    kind: SourceKind = "point"
    x: float = 0.5
    y: float = 0.5
    x2: float = 0.5
    y2: float = 0.5
    frequency: float = 3.0
    amplitude: float = 0.1
    phase: float = 0.0
    radius: float = 0.02
    signal: Signal = "continuous"
    cycles: float = 2.0
    every: float = 0.0
    speed: float = 3.0
    enabled: bool = True
    uid: int = field(default=0, compare=False)


@dataclass
class _Progress:
    """How far a source has come: its age, its phase (cycles, so that another frequency makes no jump) and volume."""

    age: float = 0.0
    cycles: float = 0.0
    travel: float = 0.0
    volume: float = 0.0
    due: float = 0.0


class Drive:
    """Packs the sources of the coming frame and keeps their phases. One for a simulation.

    Deterministic: the same sources, steps and seed give the same bytes.
    """

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._random = np.random.default_rng(seed)
        self._progress: dict[int, _Progress] = {}

    def reset(self) -> None:
        """All sources start again from their first moment, rain included."""
        self._random = np.random.default_rng(self._seed)
        self._progress.clear()

    def fire(self, uid: int) -> None:
        """Starts a source's pulse again."""
        self._progress.pop(uid, None)

    def frame(
        self,
        sources: Sequence[Source],
        substeps: int,
        dt: float,
        shape: tuple[int, int],
        cell: float,
        wave_speed: float,
    ) -> tuple[NDArray[np.void], int]:
        """Moves on by one frame: the steps, shape (substeps * MAX_SOURCES,) of STEP_DTYPE, and how many sources act.

        Sub-step k reads entries k * MAX_SOURCES to k * MAX_SOURCES + count - 1. dt: simulated seconds a sub-step.
        shape: (height, width) of the grid. wave_speed: world units / s of open water.
        """
        table = np.zeros((substeps, MAX_SOURCES), dtype=STEP_DTYPE)
        active = [source for source in sources if source.enabled][:MAX_SOURCES]
        known = {source.uid for source in sources}
        for uid in [uid for uid in self._progress if uid not in known]:
            del self._progress[uid]
        for column, source in enumerate(active):
            progress = self._progress.setdefault(source.uid, _Progress())
            steps = table[:, column]
            reach = max(source.radius * shape[1], MIN_REACH)
            steps["radius"] = reach
            if source.kind == "rain":
                self._rain(steps, source, progress, dt, shape[1])
            else:
                gain = _gain(source, reach * cell, wave_speed)
                _oscillate(steps, source, progress, dt, shape[1] * cell, gain)
                for name in ("x0", "y0", "x1", "y1"):
                    steps[name] = steps[name] * shape[1] - 0.5  # cells, (0, 0) being the centre of the first one
        return table.reshape(-1), len(active)

    def _rain(self, steps: NDArray[np.void], source: Source, progress: _Progress, dt: float, width: int) -> None:
        """A drop each time an exponential clock runs out; at most one a sub-step. A push of 0 is no drop."""
        mean = 1.0 / max(source.frequency, 1e-6)
        if progress.due == 0.0:
            progress.due = self._random.exponential(mean)
        for step in steps:
            progress.age += dt
            if progress.age < progress.due:
                continue
            progress.due = progress.age + self._random.exponential(mean)
            across, along, size = self._random.random(3)
            step["x0"] = step["x1"] = (source.x + (source.x2 - source.x) * across) * width - 0.5
            step["y0"] = step["y1"] = (source.y + (source.y2 - source.y) * along) * width - 0.5
            # A dent follows a bump: the level of the water stays where it was.
            sign = 1.0 if progress.volume < 0.0 else -1.0
            step["push"] = sign * source.amplitude * (0.5 + size)
            progress.volume += float(step["push"])


def _oscillate(
    steps: NDArray[np.void], source: Source, progress: _Progress, dt: float, world_width: float, gain: float
) -> None:
    """Fills a frame's steps of one source, places still in widths of the basin, and moves its progress on."""
    elapsed = dt * np.arange(1, len(steps) + 1, dtype=np.float64)
    x, y = _path(source, progress.travel + elapsed * (source.speed / world_width))
    steps["x0"], steps["y0"] = x, y
    steps["x1"], steps["y1"] = (source.x2, source.y2) if source.kind == "line" else (x, y)
    volume = gain * signal(source, progress.age + elapsed, progress.cycles + elapsed * source.frequency)
    steps["push"] = np.diff(volume, prepend=progress.volume)
    progress.age += float(elapsed[-1])
    progress.cycles += float(elapsed[-1]) * source.frequency
    progress.travel += float(elapsed[-1]) * source.speed / world_width
    progress.volume = float(volume[-1])


def _path(
    source: Source, travel: NDArray[np.float64]
) -> tuple[NDArray[np.float64] | float, NDArray[np.float64] | float]:
    """Where a source is after travelling so many widths of the basin, to and fro."""
    length = math.hypot(source.x2 - source.x, source.y2 - source.y)
    if source.kind != "moving" or length <= 0.0:
        return source.x, source.y
    part = (travel / length) % 2.0
    part = np.minimum(part, 2.0 - part)
    return source.x + part * (source.x2 - source.x), source.y + part * (source.y2 - source.y)


def signal(source: Source, age: NDArray[np.float64], cycles: NDArray[np.float64]) -> NDArray[np.float64]:
    """V(t) at unit gain. Continuous sources fade in over their first period, pulses have a raised-cosine envelope.

    age: seconds since the source began. cycles: periods since then.
    """
    if source.signal == "continuous":
        rise = np.minimum(cycles, 1.0)
        return np.sin(2.0 * np.pi * (cycles + source.phase / 360.0)) * rise * rise * (3.0 - 2.0 * rise)
    if source.cycles <= 0.0:
        return np.zeros_like(age)
    since = (age % source.every) * source.frequency if source.every > 0.0 else cycles
    envelope = np.where(since < source.cycles, 0.5 * (1.0 - np.cos(2.0 * np.pi * since / source.cycles)), 0.0)
    return np.sin(2.0 * np.pi * (since + source.phase / 360.0)) * envelope


def _gain(source: Source, reach: float, wave_speed: float) -> float:
    """V for which the wave beside the source is about `amplitude` high. reach: world units."""
    size = max(2.0 * math.pi * source.frequency / max(wave_speed, 1e-6) * reach, 1e-3)
    # Exact for a long line; for a point the field at the middle of a patch smaller than a wavelength, within a fifth.
    gain = 1.875 / size if source.kind == "line" else 4.0 / (size * size)
    return source.amplitude * min(gain, 1e3)
