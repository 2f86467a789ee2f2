"""A simulation and an application that are only as real as the laboratory needs: arrays, no kernels, no window."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from whitecap.app.backend import Backend
from whitecap.app.camera import Camera
from whitecap.app.lab.session import Lab
from whitecap.app.lab.sources import table_entries
from whitecap.app.messages import Messages
from whitecap.app.resample import resample
from whitecap.app.scene import FRAME_RATE, Grid
from whitecap.app.scenes import find_scene
from whitecap.app.settings import Settings
from whitecap.app.timings import Timings
from whitecap.app.view.look import Look
from whitecap.app.viewport import Viewport


class FakeSimulation:
    """Inputs are arrays that remember what was written; a frame only counts."""

    device = "cpu"

    def __init__(self, scene: str = "wave", grid: Grid | None = None) -> None:
        self.scene = find_scene(scene)
        self.values = self.scene.defaults()
        self.time_scale = 1.0
        self.paused = False
        self.seconds = 0.0
        self.frames = 0
        self.generation = 0
        self.timings = Timings()
        self.graph = None
        self.path = None
        self.rebind(grid or Grid())

    def rebind(self, grid: Grid) -> None:
        self.grid = grid
        self.generation += 1
        self.inputs: dict[str, np.ndarray] = {name: np.zeros(grid.shape, np.float32) for name in self.scene.fields}
        self.written: list[str] = []

    @property
    def dt(self) -> float:
        return self.time_scale / FRAME_RATE / self.grid.substeps

    def has_input(self, name: str) -> bool:
        return name in self.inputs or (
            self.scene.name == "tank" and name in ("speed", "damping", "edges", "sources", "source_count")
        )

    def set_input(self, name: str, data: np.ndarray) -> None:
        assert self.has_input(name), name
        if name == "sources":
            assert len(data) == table_entries(self.grid.substeps)
        self.inputs[name] = np.array(data)
        self.written.append(name)

    def set_values(self, values: dict[str, float]) -> None:
        for name, value in values.items():
            self.values[name] = self.scene.parameter(name).clamp(value)

    def field(self, name: str) -> np.ndarray:
        return self.inputs[name]

    def heights(self) -> np.ndarray:
        return self.inputs["heights"]

    def checkpoint(self) -> dict[str, np.ndarray]:
        return {name: self.inputs[name].copy() for name in self.scene.fields}

    def restore(self, fields: dict[str, np.ndarray]) -> None:
        for name, data in fields.items():
            self.set_input(name, resample(data, self.grid.shape))

    def reset(self) -> None:
        for name in self.scene.fields:
            self.inputs[name][:] = 0
        self.seconds = 0.0

    def frame(self) -> None:
        self.frames += 1
        self.seconds += self.dt * self.grid.substeps


class FakeHost:
    """Captures take no time, unless `slow` is set: then they are ready at the next `finish`."""

    def __init__(self, scene: str = "wave", grid: Grid | None = None) -> None:
        self.simulation: Any = FakeSimulation(scene, grid)
        self.settings = Settings(hint_seen=True)
        self.errors = Messages()
        self.viewport = Viewport(1280, 800)
        self.pointer = SimpleNamespace(touched=False)
        self.recording: Any = None
        self.message = ""
        self.backend = Backend("cpu", "CPU, 2 threads", "no NVIDIA GPU was found")
        self.look = Look()
        self.camera = Camera()
        self.stage = SimpleNamespace(
            renderer=SimpleNamespace(degraded=[], colorbar=None), look=self.look, camera=self.camera
        )
        self.gui: Any = SimpleNamespace(panels_visible=True, help_visible=False, text="")
        self.gui.set_clipboard = lambda text: setattr(self.gui, "text", text)
        self.gui.clipboard = lambda: self.gui.text
        self.performed: list[str] = []
        self.slow = False
        self.fail = False
        self._wanted: tuple[str, Grid] | None = None
        self.opened: list[tuple[str, Grid]] = []
        self.lab = Lab(self)

    @property
    def timings(self) -> Timings:
        return self.simulation.timings

    @property
    def busy(self) -> str:
        return "capturing" if self._wanted else ""

    def open_scene(self, name: str, grid: Grid | None = None) -> None:
        self._wanted = (name, grid or Grid())
        self.opened.append(self._wanted)
        if not self.slow:
            self.finish()

    def finish(self) -> None:
        """The capture that was asked for last is ready, or has failed."""
        if self._wanted is None:
            return
        (name, grid), self._wanted = self._wanted, None
        if self.fail:
            self.show_error("capturing failed")
        elif name == self.simulation.scene.name:
            fields = self.simulation.checkpoint()
            self.simulation.rebind(grid)
            self.simulation.restore(fields)
        else:
            paused = self.simulation.paused
            self.simulation = FakeSimulation(name, grid)
            self.simulation.paused = paused

    def recapture(self, grid: Grid) -> None:
        self.open_scene(self.simulation.scene.name, grid)

    def camera_pose(self) -> str:
        return self.camera.pose.text()

    def set_camera_pose(self, text: str) -> None:
        from whitecap.app.camera import Pose

        self.camera.pose = Pose.parse(text)

    def show_error(self, text: object) -> None:
        self.errors.add(text)

    def perform(self, action: str) -> bool:
        self.performed.append(action)
        return self.lab.perform(action)
