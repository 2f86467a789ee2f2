"""A scene being simulated: the replayed graph, its inputs, and what a person does to it between frames."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .brush import Stroke, stamp
from .captures import CaptureCache, open_capture
from .errors import UserError
from .gpu_clock import GpuClock
from .resample import resample
from .scene import OFF_GRID, Grid, Scene, time_step
from .timings import Timings
from .trace import span

if TYPE_CHECKING:
    from .. import capture as wc


class Simulation:
    """Replays a scene's capture. State stays in the graph's regions from frame to frame.

    scene, grid: what is captured, or taken from the cache. device: "cpu" or "cuda". Raises UserError, and the toolkit's
    own one-line errors, when the scene cannot be captured or loaded; nothing has changed then.
    """

    def __init__(
        self,
        scene: Scene,
        grid: Grid | None = None,
        *,
        device: str = "cpu",
        cache: CaptureCache | None = None,
    ) -> None:
        self.scene = scene
        self.grid = grid or scene.default_grid
        self.device = device
        self.values = scene.defaults()
        self.time_scale = 1.0
        self.paused = False
        self.synchronous = False  # CUDA: wait for each frame, so that its time is the device's
        self.frames = 0
        self.seconds = 0.0
        self.generation = 0
        self.timings = Timings()
        self._last_state: dict[str, np.ndarray] | None = None
        self.stroke = Stroke()
        self.cache = cache or CaptureCache()
        self.graph: wc.Graph
        self.path: Path
        if scene.file is None:
            self.graph, self.path = self.cache.load(scene, self.grid, device)
        else:
            self.graph, self.path = open_capture(scene.file, device), scene.file
        self._bind()

    # ---- frames

    def frame(self) -> None:
        """One replay of the capture: the brush, then every sub-step."""
        if self._clock is None:
            with self.timings.measure("simulation"):
                self._replay()
        else:
            self._clock.start()
            self._replay()
            self._clock.stop()
            for milliseconds in self._clock.finished():
                self.timings.phases["simulation"].add(milliseconds)
        self.frames += 1
        self.seconds += self.dt * self.grid.substeps

    def step_substep(self) -> None:
        """One solver launch alone, with the time step that the frame's sub-steps have."""
        single, _ = self.cache.load(self.scene, self.grid.with_(substeps=1), self.device)
        self._send_params()
        for name in self._inputs:
            single.set_param(name, self.input_bytes(name))
        single.set_param("mouse_pos", np.array(OFF_GRID, dtype=np.float32))
        self._launch(single)
        for name in self.scene.fields:
            data = np.empty(self.grid.shape, dtype=np.float32)
            single.get_param(name, data)
            self.set_input(name, data)
        self.seconds += self.dt

    def settle(self) -> None:
        """Applies what the brush did while no frame runs, so that a poke shows on a paused surface at once."""
        self._stamp(self.stroke.take(self._spacing))

    def reset(self) -> None:
        """Back to still water. Parameters and every other input stay. A capture from a file is loaded again."""
        if self.scene.file is not None or not self._waves:
            self.graph = open_capture(self.path, self.device)
            self._bind()
        else:
            for name in self._waves:
                self.set_input(name, np.zeros(self.grid.shape, dtype=np.float32))
        self.frames = 0
        self.seconds = 0.0

    # ---- the brush, in cells

    def poke(self, x: float, y: float) -> None:
        """The brush is down at (x, y); it stays down until `release`."""
        self.stroke.move(float(x), float(y))

    def release(self) -> None:
        """Lifts the brush. A press and release between two frames still makes one ripple."""
        self.stroke.release()

    # ---- inputs and state

    @property
    def dt(self) -> float:
        """Seconds a sub-step lasts now."""
        return time_step(self.grid, self.time_scale)

    def heights(self) -> np.ndarray:
        """The surface, (height, width) float32. CPU: a view of the region itself; CUDA: a copy."""
        return self.field(self.scene.heights)

    def field(self, name: str) -> np.ndarray:
        """An input on the grid, (height, width) float32: on the CPU a view that may be written to, on CUDA a copy."""
        if self.device == "cpu":
            return self._views[name]
        data = np.empty(self.grid.shape, dtype=np.float32)
        self.graph.get_param(name, data)
        return data

    def has_input(self, name: str) -> bool:
        """Whether the capture names an input so."""
        return name in self._inputs

    def input_bytes(self, name: str) -> np.ndarray:
        """A copy of an input's bytes, uint8."""
        data = np.empty(self._size(name), dtype=np.uint8)
        self.graph.get_param(name, data)
        return data

    def set_input(self, name: str, data: np.ndarray) -> None:
        """Writes a whole input. data: any array of exactly its size in bytes."""
        data = np.ascontiguousarray(data)
        if data.nbytes != self._size(name):
            raise UserError(f"input {name}: got {data.nbytes} bytes, but it holds {self._size(name)}")
        self.graph.set_param(name, data)

    def set_values(self, values: Mapping[str, float]) -> None:
        """Sets declared parameters by name, each held to its range; the next frame uses them."""
        for name, value in values.items():
            self.values[name] = self.scene.parameter(name).clamp(float(value))

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Copies of every field, by name."""
        if self._last_state is not None:
            return self._last_state
        return {name: self.field(name).copy() for name in self.scene.fields}

    def abandon(self, fields: dict[str, np.ndarray]) -> None:
        """The device is gone: `checkpoint` returns these fields from now on."""
        self._last_state = fields

    def restore(self, fields: Mapping[str, np.ndarray]) -> None:
        """Writes fields back, resampled when they come from another grid size."""
        for name, data in fields.items():
            self.set_input(name, resample(data, self.grid.shape))

    # ---- another capture

    def recapture(self, grid: Grid) -> None:
        """Another grid or sub-step count; the waves stay, resampled when the size changes.

        When it fails the simulation is as it was.
        """
        self.replace(*self.cache.load(self.scene, grid, self.device), grid)

    def replace(self, graph: wc.Graph, path: Path, grid: Grid) -> None:
        """Takes over a graph of the same scene on another grid, with the state of this one."""
        fields = self.checkpoint()
        # At another sub-step length the same velocity is another difference of the two grids.
        stretch = grid.dt / self.grid.dt
        others = {name: self.input_bytes(name) for name in self._inputs if name not in fields}
        self.graph, self.path, self.grid = graph, path, grid
        self._bind()
        if stretch != 1.0 and {"heights", "heights_prev"} <= fields.keys():
            now, before = fields["heights"], fields["heights_prev"]
            fields["heights_prev"] = now + np.float32(stretch) * (before - now)
        self.restore(fields)
        for name, data in others.items():
            if self._sizes.get(name) == data.nbytes:
                self.set_input(name, data)

    # ---- inside

    def _replay(self) -> None:
        with span("simulation", "frame"):
            self._send_params()
            self._send_brush()
            self._launch(self.graph)

    def _bind(self) -> None:
        bindings = self.graph.capture.bindings
        self._sizes: dict[str, int] = {binding["name"]: binding["size"] for binding in bindings}
        self._inputs = [binding["name"] for binding in bindings if not binding["output"]]
        shown = (self.scene.heights, *self.scene.fields)
        for name in shown:
            if self._size(name) != self.grid.width * self.grid.height * 4:
                raise UserError(
                    f"scene {self.scene.name}: input {name} holds {self._size(name)} bytes, but a float32 grid of "
                    f"{self.grid.width} x {self.grid.height} needs {self.grid.width * self.grid.height * 4}"
                )
        self._views = {}
        if self.device == "cpu":
            for name in shown:
                self._views[name] = np.frombuffer(self.graph.view(name), np.float32).reshape(self.grid.shape)
        self._waves: list[str] = [name for name in ("heights", "heights_prev") if name in self.scene.fields]
        self._clock = None if self.device == "cpu" else GpuClock(self.graph.program)
        self._sent_params = b""
        self._sent_brush: tuple[Any, Any] | None = None
        self.generation += 1

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            raise UserError(f"the capture has no parameter {name!r}; it has: {', '.join(self._sizes)}")
        return self._sizes[name]

    def _launch(self, graph: wc.Graph) -> None:
        graph.launch()
        if self.synchronous and self.device != "cpu":
            graph.synchronize()

    def _send_params(self) -> None:
        if "params" not in self._inputs or self.scene.params_struct is None:
            return
        packed = self.scene.pack(self.values, self.grid, self.dt)
        data = packed.tobytes()
        if data != self._sent_params:
            self.set_input("params", packed)
            self._sent_params = data

    def _send_brush(self) -> None:
        if "mouse_pos" not in self._inputs:
            return
        before = self.stroke.position
        places = self.stroke.take(self._spacing)
        position = places[-1] if places else (self.stroke.position or OFF_GRID)
        origin = (before or places[0]) if places else position
        if "mouse_from" not in self._inputs:
            self._stamp(places[:-1])
        if (position, origin) != self._sent_brush:
            self.set_input("mouse_pos", np.array(position, dtype=np.float32))
            if "mouse_from" in self._inputs:
                self.set_input("mouse_from", np.array(origin, dtype=np.float32))
            self._sent_brush = (position, origin)

    @property
    def _spacing(self) -> float:
        """Cells between the dents of a fast drag: close enough for an even ridge."""
        return 0.75 * self.values.get("radius", 1.0)

    def _stamp(self, places: list[tuple[float, float]]) -> None:
        radius, magnitude = self.values.get("radius"), self.values.get("magnitude")
        if not places or radius is None or magnitude is None:
            return
        fields = {name: self.field(name) for name in self._waves}
        for x, y in places:
            stamp(list(fields.values()), x, y, radius, magnitude)
        if self.device != "cpu":
            self.restore(fields)
