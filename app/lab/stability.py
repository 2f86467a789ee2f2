"""When the wave scheme is stable, how close a setting is to the limit, and whether a surface has run away.

One sub-step is  h' = 2 h - h0 + dt^2 (k_speed lap(h) / cell^2 - k_damp (h - h0)) - rate dt (h - h0).
A Fourier mode with lap eigenvalue -s, 0 <= s <= 8, obeys  z^2 - (2 - mu - lambda s) z + (1 - mu) = 0  with
lambda = k_speed dt^2 / cell^2 and mu = k_damp dt^2 + rate dt. Both roots lie in the unit disc exactly when
0 <= mu <= 2 and lambda s <= 2 (2 - mu); the shortest wave, s = 8, decides:  lambda <= (2 - mu) / 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Policy = Literal["refuse", "raise", "allow"]

MAX_SUBSTEPS = 64
"""The most sub-steps the panels offer."""


@dataclass(frozen=True)
class Scheme:
    """What decides stability.

    k_speed: square of the wave speed where the medium is fastest, (world units / s)^2. k_damp: 1/s^2.
    frame: simulated seconds a displayed frame covers. substeps: solver steps a frame. cell: world units.
    rate: largest damping rate of the medium (sponge, absorbing walls), 1/s.
    """

    k_speed: float
    k_damp: float
    frame: float
    substeps: int
    cell: float
    rate: float = 0.0

    @property
    def dt(self) -> float:
        """Seconds a sub-step."""
        return self.frame / self.substeps

    @property
    def courant_squared(self) -> float:
        """lambda: the square of the cells a wave crosses in one sub-step."""
        return self.k_speed * (self.dt / self.cell) ** 2

    @property
    def courant(self) -> float:
        """Cells a wave crosses in one sub-step; at most sqrt(1/2) is stable, less with damping."""
        return math.sqrt(max(self.courant_squared, 0.0))

    @property
    def damping(self) -> float:
        """mu: the part of a cell's motion that one sub-step takes away."""
        return self.k_damp * self.dt**2 + self.rate * self.dt

    @property
    def courant_limit(self) -> float:
        """The largest stable Courant number at this damping."""
        return math.sqrt(max(2.0 - self.damping, 0.0)) / 2.0

    @property
    def stable(self) -> bool:
        """Whether no wave can grow. False for anything that is not finite or negative."""
        mu, courant_squared = self.damping, self.courant_squared
        return 0.0 <= mu <= 2.0 and 0.0 <= courant_squared <= (2.0 - mu) / 4.0

    @property
    def load(self) -> float:
        """How much of the allowance is used: (4 lambda + mu) / 2; up to 1 is stable."""
        return (4.0 * self.courant_squared + self.damping) / 2.0

    def speed_limit(self) -> float:
        """The largest stable k_speed, all else as it is; 0 when the damping alone is too strong."""
        return max(2.0 - self.damping, 0.0) / 4.0 * (self.cell / self.dt) ** 2

    def damping_limit(self) -> float:
        """The largest stable k_damp, all else as it is; 0 when the speed alone is too high."""
        return max(2.0 - 4.0 * self.courant_squared - self.rate * self.dt, 0.0) / self.dt**2

    def step_limit(self) -> float:
        """The longest stable sub-step in seconds: the root of (4 k_speed / cell^2 + k_damp) dt^2 + rate dt = 2."""
        stiffness = 4.0 * self.k_speed / self.cell**2 + self.k_damp
        if stiffness <= 0.0:
            return 2.0 / self.rate if self.rate > 0.0 else math.inf
        return 4.0 / (self.rate + math.sqrt(self.rate**2 + 8.0 * stiffness))

    def frame_limit(self) -> float:
        """The longest stable frame in simulated seconds at these sub-steps; the limit of the time scale."""
        return self.step_limit() * self.substeps

    def smallest_substeps(self, highest: int = MAX_SUBSTEPS) -> int | None:
        """The fewest sub-steps that are stable, or None when `highest` is not enough."""
        limit = self.step_limit()
        if not limit > 0.0:
            return None
        fewest = max(1, math.ceil(self.frame / limit)) if math.isfinite(limit) else 1
        for substeps in (max(fewest - 1, 1), fewest, fewest + 1):  # the division may round across the bound
            if replace(self, substeps=substeps).stable:
                return substeps if substeps <= highest else None
        return None


@dataclass(frozen=True)
class Verdict:
    """What becomes of a wished setting: `scheme` is used; `message` says what was changed or refused, or is empty."""

    scheme: Scheme
    message: str = ""


def settle(wish: Scheme, current: Scheme, policy: Policy, highest: int = MAX_SUBSTEPS) -> Verdict:
    """Applies the policy to a wished setting: keep what is stable, else raise the sub-steps or refuse.

    An unstable wish that no sub-step count up to `highest` rescues is refused under either policy.
    """
    if wish.stable:
        return Verdict(wish)
    if policy == "raise":
        substeps = wish.smallest_substeps(highest)
        if substeps is not None:
            return Verdict(replace(wish, substeps=substeps), f"raised sub-steps from {wish.substeps} to {substeps}")
    needed = wish.smallest_substeps(1 << 16)
    remedy = f"it needs {needed} sub-steps" if needed else "no sub-step count makes it stable"
    return Verdict(current, f"refused: waves would grow without bound; {remedy}")


def energy(
    current: NDArray[np.floating],
    previous: NDArray[np.floating],
    scheme: Scheme,
    open_cells: NDArray[np.bool_] | None = None,
) -> float:
    """The discrete energy of the surface, world units^4 / s^2, computed in float64.

    current, previous: heights (height, width) one sub-step apart. open_cells: False where a wall stands.
    With reflecting edges and a uniform medium this sum never grows, whatever the waves, and it is positive for every
    motion exactly when the scheme is stable: its change over a sub-step is -mu/4 |h' - h0|^2.
    """
    motion = stretch = 0.0
    rows = max(1, CHUNK_CELLS // current.shape[1])
    for top in range(0, current.shape[0], rows):
        # One row more than the chunk's own, for the pairs across its lower edge.
        part = slice(top, top + rows + 1)
        cells = None if open_cells is None else open_cells[part]
        more = _energy_of_rows(current[part], previous[part], cells, rows)
        motion, stretch = motion + more[0], stretch + more[1]
    kinetic = (1.0 - scheme.damping / 2.0) * motion / scheme.dt**2
    return 0.5 * scheme.cell**2 * (kinetic + scheme.k_speed / scheme.cell**2 * stretch)


CHUNK_CELLS = 1 << 15
"""Cells summed at a time: few enough to stay in the cache, whatever the grid."""


def _energy_of_rows(
    current: NDArray[np.floating], previous: NDArray[np.floating], open_cells: NDArray[np.bool_] | None, own: int
) -> tuple[float, float]:
    """Squares of motion and products of slopes over the first `own` rows, and the slopes down from the last of them."""
    h, h0 = np.asarray(current, dtype=np.float64), np.asarray(previous, dtype=np.float64)
    moved = (h - h0)[:own]
    across, across0 = np.diff(h[:own], axis=1), np.diff(h0[:own], axis=1)
    along, along0 = np.diff(h, axis=0), np.diff(h0, axis=0)
    if open_cells is not None:
        wet = open_cells[:own]
        moved = moved * wet
        across = across * (wet[:, 1:] & wet[:, :-1])
        along = along * (open_cells[1:] & open_cells[:-1])
    # Sums rather than dot products: those would wake the threads of a BLAS, which fight with the simulation's.
    return float((moved * moved).sum()), float((across * across0).sum() + (along * along0).sum())


class RunawayDetector:
    """Says in the frame it happens that heights are not finite or have left every sensible range.

    ceiling: metres of water no setting of the laboratory reaches. growth: the largest believable ratio of two frames'
    peaks above `floor`, below which anything may happen (a first poke on still water).
    """

    def __init__(self, ceiling: float = 100.0, growth: float = 20.0, floor: float = 10.0) -> None:
        self.ceiling = ceiling
        self.growth = growth
        self.floor = floor
        self._peak = 0.0

    def reset(self) -> None:
        """Forgets the frames seen so far."""
        self._peak = 0.0

    def check(self, heights: NDArray[np.floating]) -> str:
        """One line when this frame has run away, else an empty text. Reads the heights once."""
        return self.check_range(float(heights.min()), float(heights.max()))

    def check_range(self, low: float, high: float) -> str:
        """The same from a frame's lowest and highest height (NaN when any height is)."""
        peak = max(abs(low), abs(high)) if math.isfinite(low) and math.isfinite(high) else math.nan
        before, self._peak = self._peak, peak
        if math.isnan(peak):
            return "the heights are no longer numbers"
        if peak > self.ceiling:
            return f"the highest wave is {peak:.3g}, above the ceiling of {self.ceiling:g}"
        if peak > self.floor and peak > self.growth * max(before, self.floor / self.growth):
            return f"the highest wave grew from {before:.3g} to {peak:.3g} in one frame"
        return ""


def limit_of(scheme: Scheme, name: str, time_scale: float = 1.0) -> float | None:
    """The largest stable value of a setting, all else as it is: k_speed, k_damp or time_scale; None for any other name.

    time_scale: the one that `scheme.frame` was made with.
    """
    if name == "k_speed":
        return scheme.speed_limit()
    if name == "k_damp":
        return scheme.damping_limit()
    if name == "time_scale":
        return scheme.frame_limit() / scheme.frame * time_scale
    return None
