"""What is measured while the water moves: a trace for each probe and one for the total energy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .medium import Medium
from .probes import Probe, Trace, sample, to_csv
from .stability import Scheme, energy

ENERGY_SHARE = 0.05
"""The part of the running time that measuring the energy may take."""


class Measurements:
    """Traces by probe, and the energy's. Times are simulated seconds."""

    def __init__(self) -> None:
        self.traces: dict[int, Trace] = {}
        self.energy = Trace()
        self._next_energy = 0.0

    def clear(self) -> None:
        """Forgets every sample."""
        self.traces.clear()
        self.energy.clear()
        self._next_energy = 0.0

    def add(
        self,
        simulation: Any,
        probes: Sequence[Probe],
        scheme: Scheme | None,
        medium: Medium | None,
        heights: np.ndarray | None,
    ) -> None:
        """Samples one frame. heights: (height, width), or None where reading them waits for the device."""
        for uid in set(self.traces) - {probe.uid for probe in probes}:
            del self.traces[uid]
        if probes:
            surface = simulation.heights() if heights is None else heights
            for probe in probes:
                self.traces.setdefault(probe.uid, Trace()).add(simulation.seconds, sample(surface, probe))
        if scheme is not None:
            self._add_energy(simulation, scheme, medium)

    def _add_energy(self, simulation: Any, scheme: Scheme, medium: Medium | None) -> None:
        """Large grids are summed less often: the sum may take a fixed share of the time, whatever the size."""
        start = time.perf_counter()
        if start < self._next_energy or "heights_prev" not in simulation.scene.fields:
            return
        open_cells = medium.open_cells if medium is not None else None
        # Only the newest heights were looked at: the field before them may hold anything.
        with np.errstate(invalid="ignore", over="ignore"):
            value = energy(simulation.field("heights"), simulation.field("heights_prev"), scheme, open_cells)
        if np.isfinite(value):
            self.energy.add(simulation.seconds, value)
        end = time.perf_counter()
        self._next_energy = end + (end - start) * (1.0 / ENERGY_SHARE - 1.0)

    def csv(self, probes: Sequence[Probe]) -> str:
        """Every probe's trace and the energy as one CSV text."""
        columns = [(f"probe_{n}", self.traces[p.uid]) for n, p in enumerate(probes, 1) if p.uid in self.traces]
        return to_csv([*columns, ("energy", self.energy)])
