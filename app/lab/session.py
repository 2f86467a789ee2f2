"""The laboratory session: what a person edits, between the running simulation and the panels. No window, no GL.

`setup` is what is wished; the link (link.py) brings the running simulation level with it, frame by frame.
"""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..errors import UserError, one_line
from ..scene import FRAME_RATE, Grid, Parameter
from ..scenes import BUILT_IN, find_scene
from . import commands
from .history import History
from .library import Library
from .link import Link
from .measure import Measurements
from .medium import Medium, sponge_strength
from .presets import Preset
from .rescue import Good, Rescue
from .setup import HIGHEST_TIME_SCALE, LOWEST_TIME_SCALE, Setup
from .stability import MAX_SUBSTEPS, Policy, Scheme, settle
from .tools import Toolbox

TANK = "tank"
"""The scene that has walls, boundaries and sources."""


MESSAGE_SECONDS = 8.0


class Host(Protocol):
    """What the session needs of the application."""

    simulation: Any
    settings: Any
    gui: Any

    @property
    def look(self) -> Any: ...
    @property
    def busy(self) -> str: ...
    def open_scene(self, name: str, grid: Grid | None = None) -> None: ...
    def camera_pose(self) -> str: ...
    def set_camera_pose(self, text: str) -> None: ...
    def show_error(self, text: object) -> None: ...


class Lab:
    """One person's session with one scene after the other."""

    setup: Setup
    library: Library
    tools: Toolbox

    def __init__(self, host: Host) -> None:
        self.host = host
        simulation = host.simulation
        self.setup = Setup(
            scene=simulation.scene.name,
            grid=simulation.grid,
            time_scale=simulation.time_scale,
            parameters=dict(simulation.values),
        )
        self.library = Library(self)
        self.history: History[Setup] = History()
        self.policy: Policy = "refuse"
        self._message, self._said_at = "", 0.0
        self.link = Link(host)
        self.measurements = Measurements()
        self.rescue = Rescue()
        self.tools = Toolbox(self)
        self.update()

    @property
    def medium(self) -> Medium | None:
        """What the kernels read about the water; None for a scene without walls."""
        return self.link.medium

    @property
    def medium_version(self) -> int:
        """Changes whenever the medium does."""
        return self.link.medium_version

    @property
    def message(self) -> str:
        """What happened last, in one line; empty once it is old."""
        return self._message if time.monotonic() - self._said_at < MESSAGE_SECONDS else ""

    @message.setter
    def message(self, text: str) -> None:
        self._message, self._said_at = text, time.monotonic()

    # ---- edits

    def edit(self, wish: Setup, label: str, merge: Hashable = None) -> bool:
        """Makes an edit and remembers it for undo; False when the stability policy refuses it.

        merge: edits in a row with the same key are one entry until `seal`.
        """
        wish = self._with_scene_for(wish)
        settled = self._settled(wish) if self._has_place_for(wish) else None
        if settled is None:
            return False
        self.history.push(label, self.setup, settled, merge)
        self._apply(settled)
        return True

    def seal(self) -> None:
        """A drag has ended: the next edit is an entry of its own."""
        self.history.seal()

    def undo(self) -> bool:
        """Takes back the last edit; False when there is none."""
        entry = self.history.undo()
        if entry is not None:
            self._apply(entry.before)
            self.message = f"undone: {entry.label}"
        return entry is not None

    def redo(self) -> bool:
        """Makes the last undone edit again."""
        entry = self.history.redo()
        if entry is not None:
            self._apply(entry.after)
            self.message = f"done again: {entry.label}"
        return entry is not None

    def set_parameter(self, name: str, value: float) -> bool:
        """Sets a declared parameter, held to its range."""
        parameter = self.host.simulation.scene.parameter(name)
        return self.edit(self.setup.with_parameter(name, parameter.clamp(value)), parameter.label, ("parameter", name))

    def set_time_scale(self, value: float) -> bool:
        """Sets how fast simulated time runs, 0.1 to 4."""
        value = min(max(value, LOWEST_TIME_SCALE), HIGHEST_TIME_SCALE)
        return self.edit(self.setup.with_(time_scale=value), "Time scale", "time_scale")

    def set_grid(self, **changes: Any) -> bool:
        """Another grid size or sub-step count; the waves stay."""
        try:
            grid = self.setup.grid.with_(**changes)
            return self.edit(self.setup.with_grid(grid), "Grid", ("grid", *changes))
        except UserError as error:
            self.message = one_line(error)
            return False

    # ---- stability

    @property
    def scheme(self) -> Scheme | None:
        """What decides stability now; None for a scene without the usual parameters."""
        return self.scheme_of(self.setup)

    def scheme_of(self, setup: Setup) -> Scheme | None:
        """The same for any setup of a scene that has k_speed and k_damp."""
        if "k_speed" not in setup.parameters or "k_damp" not in setup.parameters:
            return None
        k_speed = setup.parameters["k_speed"]
        grid, frame, rate = setup.grid, setup.time_scale / FRAME_RATE, 0.0
        if setup.scene == TANK:
            rate = sponge_strength(setup.boundaries, grid.width, grid.cell) * math.sqrt(max(k_speed, 0.0))
        return Scheme(k_speed, setup.parameters["k_damp"], frame, grid.substeps, grid.cell, rate)

    def _settled(self, wish: Setup) -> Setup | None:
        """The wish under the stability policy; None when it is refused."""
        scheme, current = self.scheme_of(wish), self.scheme_of(self.setup)
        self.message = ""
        if scheme is None or scheme.stable or self.policy == "allow":
            return wish
        if current is not None and not current.stable and scheme.load <= current.load:
            return wish  # out of an unstable state every step in the right direction counts
        verdict = settle(scheme, current or scheme, self.policy, MAX_SUBSTEPS)
        self.message = verdict.message
        if verdict.scheme.substeps == scheme.substeps or not verdict.scheme.stable:
            return None
        if verdict.message.startswith("refused"):
            return None
        return wish.with_(grid=wish.grid.with_(substeps=verdict.scheme.substeps))

    # ---- scenes

    def show(self, setup: Setup) -> None:
        """Takes up another scene with still water and nothing to undo, and lets it run."""
        self.history.clear()
        self.host.simulation.paused = False
        self._restart(setup)

    def _restart(self, setup: Setup) -> None:
        setup = self._with_defaults(setup)
        self.tools.selected = None
        self.link.still(setup)
        self._apply(setup)
        self.measurements.clear()
        self.rescue.clear()
        self._steady()

    def _steady(self) -> None:
        """A scene may be opened that is unstable as it is set: the policy decides, or at least a line says so."""
        scheme = self.scheme
        self.message = ""
        if scheme is None or scheme.stable:
            return
        substeps = scheme.smallest_substeps() if self.policy == "raise" else None
        if substeps:
            self._apply(self.setup.with_(grid=self.setup.grid.with_(substeps=substeps)))
            self.message = f"raised sub-steps from {scheme.substeps} to {substeps}"
        else:
            self.message = "this scene is unstable as it is set"

    def restore_fields(self, fields: Mapping[str, np.ndarray]) -> None:
        """Puts waves on the water as soon as the simulation is the one that the setup wishes."""
        self.link.put_waves(fields)
        self.update()

    @property
    def presets(self) -> list[Preset]:
        """The gallery."""
        return self.library.presets

    def open_preset(self, index: int) -> bool:
        """Opens a preset by its place in the gallery, from 0."""
        return self.library.open_preset(index)

    def load(self, path: str | Path) -> bool:
        """Opens a scene file."""
        return self.library.load(path)

    def perform(self, action: str) -> bool:
        """Does what an action of the key table means to the laboratory; False when it is not the laboratory's."""
        return commands.perform(self, action)

    def reset_waves(self) -> None:
        """Still water; sources begin again."""
        self.link.still(self.setup)
        self.measurements.clear()
        self.rescue.clear()

    def reset_scene(self) -> None:
        """The scene as it was opened, with still water. Can be undone."""
        opened = self._with_defaults(self.library.document.setup)
        self.history.push("Reset the scene", self.setup, opened)
        self._restart(opened)

    def restore(self) -> bool:
        """After a runaway: back to the last good waves and settings, and on; False when nothing ran away."""
        good = self.rescue.good
        if not self.rescue.tripped or good is None:
            return False
        self.history.push("Back to the last good state", self.setup, good.setup)
        self._apply(good.setup)
        self._go_back(good)
        self.rescue.clear()
        self.message = ""
        self.host.simulation.paused = False
        return True

    # ---- pointer, in cells

    def press(self, x: float, y: float) -> bool:
        """The left button goes down on the water; True when a tool or an object owns the drag."""
        return self.tools.press(*self._to_widths(x, y))

    def drag(self, x: float, y: float) -> None:
        """The pointer moves while a tool owns it."""
        self.tools.drag(*self._to_widths(x, y))

    def release(self) -> None:
        """The button comes up."""
        self.tools.release()
        self.seal()

    @property
    def hover_radius(self) -> float:
        """Cells: the footprint of the tool in hand."""
        return self.tools.footprint(self.host.simulation.grid.width)

    def _to_widths(self, x: float, y: float) -> tuple[float, float]:
        width = self.host.simulation.grid.width
        return (x + 0.5) / width, (y + 0.5) / width

    # ---- frames

    def update(self) -> None:
        """Once a displayed frame, paused or not: brings the simulation level with the setup."""
        simulation = self.host.simulation
        if not self.host.busy and not self.link.level(self.setup):
            if self.link.arrived():
                self._adopt(simulation)
            else:  # the capture failed and the old one runs on
                self.setup = self.setup.with_(scene=simulation.scene.name, grid=simulation.grid)
                self.link.send_values(self.setup)
        self.link.send(self.setup)

    def before_frame(self, substeps: int | None = None) -> None:
        """Before each simulated frame (or lone sub-step): sends what the sources do in it."""
        self.update()
        self.link.feed_sources(self.setup, substeps)

    def after_frame(self, heights: np.ndarray | None = None, extremes: tuple[float, float] | None = None) -> bool:
        """After each simulated frame: measures and looks out for runaways.

        heights: (height, width) where they are on the host at no cost. extremes: lowest and highest height elsewhere.
        False when the waves ran away: the simulation is paused on the last good state then.
        """
        simulation = self.host.simulation
        scheme = self.scheme
        stable = scheme is None or scheme.stable
        reason = self.rescue.check(simulation, self.setup, stable, heights, extremes)
        if reason:
            simulation.paused = True
            if self.rescue.good is not None:
                self._go_back(self.rescue.good)
            self.message = f"stopped: {reason}"
            return False
        self.measurements.add(simulation, self.setup.probes, scheme, self.medium, heights)
        return True

    # ---- inside

    def _go_back(self, good: Good) -> None:
        """The waves as they were; a capture that does not say where they are begins anew."""
        simulation = self.host.simulation
        if good.fields:
            simulation.restore(good.fields)
        else:
            simulation.reset()

    def _apply(self, setup: Setup) -> None:
        """Makes `setup` the wished one."""
        self.setup = setup
        self.link.apply(setup)

    def _adopt(self, simulation: Any) -> None:
        """Follows a simulation that nobody wished here, as when a capture is loaded from a file."""
        setup = Setup(simulation.scene.name, simulation.grid, simulation.time_scale, dict(simulation.values))
        self.library.follow(setup, simulation.scene.title)
        self.setup = setup
        self.link.forget_waves()
        self.history.clear()
        self.rescue.clear()
        self.measurements.clear()
        self.tools.put_down()

    def _with_scene_for(self, wish: Setup) -> Setup:
        """Walls, edges and sources need the tank: the first of them takes the session there."""
        if wish.scene != "wave" or not (wish.walls or wish.sources or wish.boundaries != self.setup.boundaries):
            return wish
        return self._with_defaults(wish.with_(scene=TANK))

    def _has_place_for(self, wish: Setup) -> bool:
        """Whether the scene has inputs for what a wish adds; says so when it has none."""
        simulation = self.host.simulation
        if wish.scene == TANK or wish.scene != simulation.scene.name or simulation.has_input("speed"):
            return True
        adds = (wish.walls, wish.sources, wish.boundaries) != (
            self.setup.walls,
            self.setup.sources,
            self.setup.boundaries,
        )
        if adds:
            self.message = f"the scene {wish.scene} has no walls, edges and sources: open a preset for these"
        return not adds

    def parameters_of(self, name: str) -> tuple[Parameter, ...]:
        """The declared parameters of the running scene, or of a built-in one. Raises UserError for any other name."""
        running = self.host.simulation.scene
        return tuple(running.parameters) if name == running.name else scene_parameters(name)

    def _with_defaults(self, setup: Setup) -> Setup:
        """Parameters that the scene declares and the setup leaves out take their defaults; others are dropped."""
        declared = self.parameters_of(setup.scene)
        return setup.with_(parameters={p.name: setup.parameters.get(p.name, p.default) for p in declared})


def scene_parameters(name: str) -> tuple[Parameter, ...]:
    """The declared parameters of a built-in scene. Raises UserError for any other name.

    A document names a scene and never a file: opening what somebody shared must not run their Python.
    """
    if name not in BUILT_IN:
        raise UserError(f"give {' or '.join(BUILT_IN)}; a scene of your own is started with --scene FILE first")
    return tuple(find_scene(name).parameters)
