"""The application: one loop over simulation, transfer and drawing, the same in a window, off screen and in tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from .backend import Backend, cpu_backend
from .demonstration import drop
from .fallback import is_gpu_failure, leave_gpu
from .lab.keys import Shortcuts
from .lab.session import Lab
from .messages import Messages
from .pace import Pace
from .picking import Hit, pick
from .pointer import Pointer
from .scene import FRAME_RATE, Grid
from .settings import Settings
from .simulation import Simulation
from .stage import Stage
from .steering import steer
from .swap import Swap
from .trace import span
from .viewport import Viewport

if TYPE_CHECKING:
    from .gui import Gui
    from .recording import Recording

MESSAGE_SECONDS = 6.0
WELCOME_FRAMES = 600


class Application:
    """Everything that happens between two pictures. Knows no window and, on a null stage, no OpenGL.

    simulation, stage, backend: what is simulated, drawn and how heights get from one to the other. gui: the panels, or
    None for a bare picture. Positions are logical pixels, origin top left, y down.
    """

    def __init__(
        self,
        simulation: Simulation,
        stage: Stage,
        backend: Backend | None = None,
        *,
        gui: Gui | None = None,
        settings: Settings | None = None,
        viewport: Viewport | None = None,
    ) -> None:
        self.simulation = simulation
        self.stage = stage
        self.backend = backend or cpu_backend()
        self.gui = gui
        self.settings = settings or Settings()
        self.viewport = viewport or Viewport(1280, 800)
        self.errors = Messages()
        self.pointer = Pointer(self)
        self.shortcuts = Shortcuts()
        self.seconds = 0.0
        self.running = True
        self.window_actions: dict[str, Callable[[], None]] = {}
        self.before_panels: list[Callable[[Any], None]] = []
        self.after_draw: list[Callable[[Any], None]] = []
        self.finish: Callable[[], None] = lambda: None
        """Waits for the renderer, where drawing is timed."""
        self.recording: Recording | None = None
        self.message = ""
        self._message_age = 0.0
        self._pace = Pace()
        self.swap = Swap(self)
        self._drops_left = 0
        self._walls_shown: tuple[Any, int] | None = None
        self._surface_is_level = False  # the stage's surface holds the heights of the simulation
        self._wear_look()
        self.lab = Lab(self)

    # ---- the loop

    def frame(self, seconds: float, target: Any = None) -> None:
        """One turn of the loop: `seconds` since the one before; draws to `target` unless nothing shows."""
        if self.recording is not None:
            seconds = 1.0 / FRAME_RATE
        self.seconds += seconds
        self._message_age += seconds
        if self._message_age > MESSAGE_SECONDS:
            self.message = ""
        self.timings.frame.add(seconds * 1e3)
        self.swap.pump()
        steer(self.stage.camera, self.shortcuts.held, seconds, self.viewport.size)
        self.stage.camera.update(seconds)
        self._surface_is_level = False
        self._on_device(self._follow_lab)
        self._on_device(lambda: self._simulate(seconds))
        if self.viewport.empty:
            return
        if not self._surface_is_level and not self._on_device(self._transfer):
            self._transfer()
        start = perf_counter()
        with span("draw", "frame"):
            self._draw(seconds, target)
            self.finish()
        # The graphics card's own clock where it has one: what the processor spends on drawing is less than that.
        drawn = self.stage.renderer.draw_seconds or 0.0
        self.timings.phases["draw"].add(max(perf_counter() - start, drawn) * 1e3)

    def fixed_frame(self, target: Any = None) -> None:
        """One turn that lasts exactly one simulated frame: for pictures, videos and tests."""
        self.frame(1.0 / FRAME_RATE, target)

    @property
    def timings(self) -> Any:
        """Times of the current simulation's phases."""
        return self.simulation.timings

    def close(self) -> None:
        """Lets go of the GL objects; the context must still be there."""
        if self.recording is not None:
            self.recording.close()
        self.backend.transfer.release()
        self.stage.release()
        if self.gui is not None:
            self.gui.release()

    # ---- what is under the cursor

    def pick_hit(self, x: float, y: float) -> Hit | None:
        """Where the ray through a logical pixel meets the surface as it is drawn."""
        if self.viewport.empty:
            return None
        origin, direction = self.stage.camera.ray(x, y, self.viewport.size)
        scale = float(self.stage.look.exaggeration)
        if self.simulation.device != "cpu" and self.stage.context is not None:
            found: Hit | None = self.stage.surface.pick(origin, direction, scale)  # copies only what the ray crosses
            return found
        return pick(self.simulation.heights(), self.simulation.grid.cell, origin, direction, scale)

    def pick(self, x: float, y: float) -> tuple[float, float] | None:
        """The same as a position in cells."""
        hit = self.pick_hit(x, y)
        return hit.cell if hit else None

    # ---- what panels and keys ask for

    @property
    def look(self) -> Any:
        """How the stage draws."""
        return self.stage.look

    @property
    def camera(self) -> Any:
        """The stage's camera."""
        return self.stage.camera

    def camera_pose(self) -> str:
        """The camera's pose as one line of text."""
        return self.stage.camera.pose.text()

    def set_camera_pose(self, text: str) -> None:
        """Flies to a pose given as text; an error dialog when it is none."""
        from .pose import Pose

        try:
            self.stage.camera.fly_to(Pose.parse(text))
        except ValueError as error:
            self.show_error(error)

    def key_press(self, key: str, modifiers: set[str], typing: bool = False) -> str | None:
        """A key goes down. typing: a text field has the keyboard. Returns the action that it started."""
        return self._start(self.shortcuts.press(key, modifiers, typing))

    def key_text(self, character: str, typing: bool = False) -> str | None:
        """A character was typed."""
        return self._start(self.shortcuts.text(character, typing))

    def key_release(self, key: str) -> None:
        """A key comes up, whoever had the keyboard."""
        self.shortcuts.release(key)

    def focus_lost(self) -> None:
        """The window has no keyboard and mouse any more: nothing stays held."""
        self.shortcuts.release_all()
        self.pointer.cancel()

    def say(self, text: str) -> None:
        """Puts a line into the status line for some seconds."""
        self.message, self._message_age = text, 0.0

    def show_error(self, text: object) -> None:
        """Puts one line into the error dialog."""
        self.errors.add(text)

    def perform(self, action: str) -> bool:
        """Does what a key or a menu entry stands for; whether anything did."""
        from .actions import perform

        try:
            return perform(self, action)
        except Exception as error:
            if is_gpu_failure(self.simulation, error):
                leave_gpu(self, error)
            else:
                self.show_error(error)
            return True

    def recapture(self, grid: Grid) -> None:
        """Another grid or sub-step count for the running scene; see `Swap.open_scene`."""
        self.swap.open_scene(self.simulation.scene.name, grid)

    def open_scene(self, name: str, grid: Grid | None = None) -> None:
        """The scene of that name in place of the running one; see `Swap.open_scene`."""
        self.swap.open_scene(name, grid)

    def save_capture(self, path: Path) -> None:
        """Copies the running capture to a place of the user's; see `Swap.save_capture`."""
        self.swap.save_capture(path)

    def open_capture(self, path: Path) -> None:
        """Shows a capture from a file; see `Swap.open_capture`."""
        self.swap.open_capture(path)

    @property
    def busy(self) -> str:
        """What is being captured now, for the status line; empty when nothing is."""
        return self.swap.busy

    def take_over(self, simulation: Simulation) -> None:
        """Goes on with another simulation. Whoever owns the drag keeps it; a poke goes on where the cursor is now."""
        simulation.paused = self.simulation.paused
        simulation.time_scale = self.simulation.time_scale
        self.simulation = simulation
        self._wear_look()
        self.match_stage()

    def _wear_look(self) -> None:
        """Takes the choices of the view that the scene declares."""
        for name, value in self.simulation.scene.look:
            setattr(self.stage.look, name, value)

    def match_stage(self) -> None:
        """Makes the stage as large as the simulation's grid."""
        self.backend.transfer.release()
        self.stage.set_grid(self.simulation.grid)
        self._pace.reset()

    def welcome(self, still: bool = False) -> None:
        """Something to look at in the first seconds: drops until a hand comes; a scene may move by itself."""
        self._drops_left = 0 if still else WELCOME_FRAMES

    # ---- inside

    def _start(self, action: str | None) -> str | None:
        if action is not None:
            self.perform(action)
        return action

    def _follow_lab(self) -> None:
        """Brings the simulation level with what the lab wishes, and the walls on the stage with the lab's."""
        lab = self.lab
        lab.update()
        medium = lab.medium
        wanted = (self.stage.surface, lab.medium_version)
        if wanted != self._walls_shown and (medium is None or medium.open_cells.shape == self.stage.grid.shape):
            self.stage.surface.set_walls(None if medium is None else ~medium.open_cells)
            self._walls_shown = wanted

    def _simulate(self, seconds: float) -> None:
        if self.simulation.paused:
            self._pace.reset()
            self.simulation.settle()
            return
        if self.pointer.owner == "poke":
            self.pointer.poke()
        for _ in range(self._pace.due(seconds)):
            self._fall()
            if not self.step():
                break

    def _fall(self) -> None:
        """The drops of the first seconds."""
        if self._drops_left <= 0:
            return
        if self.pointer.touched:
            self._drops_left = 0
            return
        drop(self.simulation, WELCOME_FRAMES - self._drops_left)
        self._drops_left -= 1

    def _on_device(self, work: Callable[[], object]) -> bool:
        """Does what the simulation's device takes part in. A GPU that fails is left for the CPU: False then."""
        try:
            work()
        except Exception as error:
            if not is_gpu_failure(self.simulation, error):
                raise
            leave_gpu(self, error)
            return False
        return True

    def _transfer(self) -> None:
        with span("transfer", "frame"):
            self.backend.transfer.transfer(self.simulation, self.stage.surface)

    def step(self) -> bool:
        """One simulated frame; False when the lab stopped the run."""
        self.lab.before_frame()
        self.simulation.frame()
        return self._watch()

    def step_substep(self) -> None:
        """One solver launch alone."""
        self.lab.before_frame(substeps=1)
        self.simulation.step_substep()
        self._watch()

    def _watch(self) -> bool:
        """Measures what was just simulated; False when it ran away, and the last good state is there again."""
        if self.simulation.device == "cpu":
            return self.lab.after_frame(self.simulation.heights())
        # The graphics card finds the extremes of what it is about to draw, so that a bad frame is never seen.
        self._transfer()
        self._surface_is_level = self.lab.after_frame(extremes=self.stage.surface.extremes())
        return self._surface_is_level

    def use_centre(self) -> None:
        """What a click in the middle of the view would do, for hands on the keyboard."""
        cell = self.pick(self.viewport.width / 2, self.viewport.height / 2)
        if cell is None or self.pointer.owner is not None:
            return
        if self.lab.press(*cell):
            self.lab.release()
        else:
            self.simulation.poke(*cell)
            self.simulation.release()

    def _draw(self, seconds: float, target: Any) -> None:
        if self.gui is None:
            self.stage.fit(self.viewport)  # else the panels tell the camera what they leave free
        self.stage.draw(self.viewport, target, self._hover(), self.settings.ui_scale)
        self._run(self.before_panels, target)
        if self.recording is not None:
            self._film(target)
        if self.gui is not None:
            self.gui.draw(self, seconds, target)
        self._run(self.after_draw, target)

    def _film(self, target: Any) -> None:
        from .recording import take

        take(self, target)

    @staticmethod
    def _run(actions: list[Callable[[Any], None]], target: Any) -> None:
        pending = actions[:]
        actions.clear()
        for action in pending:
            action(target)

    def _hover(self) -> Any:
        """The ring that shows the brush's footprint; None where the cursor is not on the surface."""
        pointer = self.pointer
        if pointer.position is None or pointer.owner in ("gui", "orbit", "pan"):
            return None
        if pointer.owner is None and self.gui is not None and self.gui.wants_mouse:
            return None
        cell = self.pick(*pointer.position)
        if cell is None:
            return None
        from .view.scene_block import Hover

        return Hover(cell, float(self.lab.hover_radius))
