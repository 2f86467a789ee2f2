"""Keeps the running simulation level with the setup that a person wishes, across captures that take their time.

The host captures beside the running loop, so a new grid or scene arrives some frames after it was wished. Until then
the old simulation runs on with what it can show of the wish; when the new one is there it is given everything anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .medium import Medium, Painter
from .setup import Setup
from .sources import MAX_SOURCES, Drive, table_entries


class Link:
    """Sends values, medium and sources to `host.simulation`, whichever that is now.

    medium: what the kernels read about the water, None for a scene without walls. medium_version: counts its changes.
    """

    def __init__(self, host: Any) -> None:
        self._host = host
        self.drive = Drive()
        self.medium: Medium | None = None
        self.medium_version = 0
        self._painter = Painter()
        self._medium_of: tuple[object, ...] = ()
        self._simulation = host.simulation
        self._generation = -1
        self._sources_sent = 0
        self._carries_waves = True
        self._waits_for_stillness = False
        self._waiting_fields: Mapping[str, np.ndarray] | None = None

    def level(self, setup: Setup) -> bool:
        """Whether the simulation has the scene and grid of the setup."""
        simulation = self._host.simulation
        return (simulation.scene.name, simulation.grid) == (setup.scene, setup.grid)

    def apply(self, setup: Setup) -> None:
        """Asks for the capture that a setup needs; its values are sent at once, or with that capture."""
        if not self.level(setup) or self._host.busy:
            self._host.open_scene(setup.scene, setup.grid)
        if self.level(setup):
            self.send_values(setup)

    def still(self, setup: Setup) -> None:
        """Still water now, and once more when the wished simulation is there; sources begin again."""
        self._waiting_fields = None
        self._carries_waves = setup.scene == self._host.simulation.scene.name
        self._waits_for_stillness = not self.level(setup)
        self._host.simulation.reset()
        self.drive.reset()

    def put_waves(self, fields: Mapping[str, np.ndarray]) -> None:
        """Waves for the wished simulation, as soon as it is there."""
        self._waiting_fields = fields
        self._generation = -1

    def arrived(self) -> bool:
        """Whether the host has put another simulation in place since the last `send`."""
        return self._host.simulation is not self._simulation

    def send(self, setup: Setup) -> None:
        """Once a displayed frame: sends what has changed, and everything to a new capture."""
        simulation = self._host.simulation
        if simulation is not self._simulation:
            self._take_over(simulation)
        if simulation.generation != self._generation:
            self._generation = simulation.generation
            self._medium_of = ()
            self._sources_sent = MAX_SOURCES  # a new capture may hold anything: send once even when there are none
            if self.level(setup):
                self.send_values(setup)
                self._settle(simulation)
        self._send_medium(setup)

    def feed_sources(self, setup: Setup, substeps: int | None) -> None:
        """What the sources do in the coming frame, or in that many sub-steps of it."""
        simulation = self._host.simulation
        if not simulation.has_input("sources"):
            return
        grid, wave_speed = simulation.grid, math.sqrt(max(simulation.values.get("k_speed", 1.0), 1e-12))
        sources = () if self._waits_for_stillness else setup.sources
        steps, count = self.drive.frame(
            sources, substeps or grid.substeps, simulation.dt, grid.shape, grid.cell, wave_speed
        )
        if count or self._sources_sent:
            table = np.zeros(table_entries(grid.substeps), dtype=steps.dtype)
            table[: len(steps)] = steps
            simulation.set_input("sources", table)
            simulation.set_input("source_count", np.array([count], dtype=np.int32))
            self._sources_sent = count

    def forget_waves(self) -> None:
        """The next simulation keeps its own waves: it is none that was wished."""
        self._carries_waves = False
        self._waits_for_stillness = False
        self._waiting_fields = None
        self.drive.reset()

    def _take_over(self, simulation: Any) -> None:
        """Another scene: its fields of the same names get the waves of the one before."""
        before, self._simulation = self._simulation, simulation
        self._generation = -1
        if self._carries_waves:
            simulation.restore({n: f for n, f in before.checkpoint().items() if n in simulation.scene.fields})
        self._carries_waves = True

    def _settle(self, simulation: Any) -> None:
        """The wished simulation is there: what had to wait for it happens."""
        if self._waits_for_stillness:
            self._waits_for_stillness = False
            simulation.reset()
            self.drive.reset()
        if self._waiting_fields is not None:
            simulation.restore(self._waiting_fields)
            self._waiting_fields = None

    def send_values(self, setup: Setup) -> None:
        """Parameters and time scale; never for a capture on the way to the wished one: it may be unstable with them."""
        simulation = self._host.simulation
        known = {parameter.name for parameter in simulation.scene.parameters}
        simulation.set_values({name: v for name, v in setup.parameters.items() if name in known})
        simulation.time_scale = setup.time_scale

    def _send_medium(self, setup: Setup) -> None:
        """Only when walls or edges are others than last time; the objects themselves are compared."""
        wanted = (setup.walls, setup.boundaries)
        if self._medium_of and all(new is old for new, old in zip(wanted, self._medium_of)):
            return
        self._medium_of = wanted
        self.medium_version += 1
        simulation = self._host.simulation
        if not simulation.has_input("speed"):
            self.medium = None
            return
        self.medium = self._painter.medium(*wanted, simulation.grid.shape, simulation.grid.cell)
        simulation.set_input("speed", self.medium.speed)
        simulation.set_input("damping", self.medium.damping)
        simulation.set_input("edges", setup.boundaries.codes())
