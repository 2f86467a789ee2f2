"""Another scene, grid or file under the running loop: captured beside it, swapped in between two frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .captures import copy_capture, remove_capture
from .errors import UserError
from .foreign import FileScene, HeightField, choose_field, height_fields, wave_inputs
from .job import Job
from .messages import counted
from .scene import Grid, Scene
from .scenes import find_scene
from .simulation import Simulation

if TYPE_CHECKING:
    from .application import Application


class Swap:
    """The one capture that is being made, and the wish that comes after it."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._job: Job[Any] | None = None
        self._job_scene, self._job_grid = application.simulation.scene, Grid()
        self._wish: tuple[Scene, Grid] | None = None

    @property
    def busy(self) -> str:
        """What is being captured now; empty when nothing is."""
        return self._job.label if self._job is not None else ""

    def open_scene(self, name: str, grid: Grid | None = None, even_the_same: bool = False) -> None:
        """The scene of that name in place of the running one; its waves stay when it is the same scene.

        Of many wishes while a capture is being made the latest wins.
        """
        running = self._application.simulation
        scene = running.scene if name == running.scene.name else find_scene(name)
        self._wish = (scene, grid or scene.default_grid)
        if self._job is None:
            self._start(even_the_same)

    def record_again(self) -> None:
        """The running scene captured anew, from its kernels as they are now."""
        running = self._application.simulation
        remove_capture(running.cache.path(running.scene, running.grid, running.device))
        self.open_scene(running.scene.name, running.grid, even_the_same=True)

    def start_again(self) -> None:
        """The device is another one now: what is being captured is made for that one instead."""
        if self._job is not None:
            self._wish = self._wish or (self._job_scene, self._job_grid)
            self._job = None
            self._start()

    def save_capture(self, path: Path) -> None:
        """Copies the running capture and its modules to a place of the user's. Raises UserError."""
        copy_capture(self._application.simulation.path, path)
        self._application.say(f"capture: {path}")

    def open_capture(self, path: Path) -> None:
        """Shows any `.wrp` that holds a grid of heights; asks which parameter that is when it is not obvious.

        Raises UserError, also where nobody can be asked, or NativeError for a broken file; the running simulation goes
        on then.
        """
        from .. import _native

        capture = _native.Capture.from_file(str(path))
        fields = height_fields(capture)
        scenes = [FileScene(path, field, wave_inputs(capture, field)) for field in fields]
        chosen = choose_field(fields, path)
        if chosen is None:
            self._ask(path, fields, scenes)
        else:
            self._show_capture(scenes[fields.index(chosen)])

    def pump(self) -> None:
        """Takes over what is ready. A failure goes to the error dialog and leaves everything running."""
        job = self._job
        if job is None or not job.done:
            return
        self._job = None
        try:
            result = job.result()
            if isinstance(result, Simulation):
                self._application.take_over(result)
            else:
                graph, path = result
                if self._job_grid.shape != self._application.simulation.grid.shape:
                    self._application.pointer.lift()
                self._application.simulation.replace(graph, path, self._job_grid)
                self._application.match_stage()
        except Exception as error:
            self._application.show_error(error)
        self._start()

    def wait(self) -> None:
        """Waits until nothing is being captured, where pictures must not show what was before."""
        while self._job is not None:
            self._job.wait(60.0)
            self.pump()

    def _start(self, even_the_same: bool = False) -> None:
        if self._wish is None:
            return
        (scene, grid), self._wish = self._wish, None
        running = self._application.simulation
        if _are_one(scene, running.scene):
            scene = running.scene
            if grid == running.grid and not even_the_same:
                return
        cache, device = running.cache, running.device
        label = f"capturing {scene.name} {grid.width} x {grid.height}, {counted(grid.substeps, 'sub-step')}"
        self._job_scene, self._job_grid = scene, grid
        if scene is running.scene:
            self._job = Job(label, lambda: cache.load(scene, grid, device))
        else:
            self._job = Job(label, lambda: Simulation(scene, grid, device=device, cache=cache))

    def _show_capture(self, scene: FileScene) -> None:
        running = self._application.simulation
        self._application.take_over(Simulation(scene, device=running.device, cache=running.cache))

    def _ask(self, path: Path, fields: list[HeightField], scenes: list[FileScene]) -> None:
        if self._application.gui is None:
            names = ", ".join(str(field) for field in fields)
            raise UserError(f"{path}: any of {names} may be the heights: open it in the window, which asks")
        from .panels.question import Question, ask

        by_text = {str(field): scene for field, scene in zip(fields, scenes, strict=True)}
        text = f"{path.name} has more than one grid of numbers. Which one is the surface?"
        question = Question(
            "Which are the heights?", text, list(by_text), lambda answer: self._show_capture(by_text[answer])
        )
        ask(self._application, question)  # type: ignore[arg-type]


def _are_one(scene: Scene, other: Scene) -> bool:
    """Whether two scenes have the same kernels: a built-in one that is looked up again is another object."""
    return scene is other or (type(scene) is type(other) and scene.file is other.file is None)
