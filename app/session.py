"""From flags to a running application in the window, with a splash while something must compile."""

from __future__ import annotations

import traceback
from argparse import Namespace
from contextlib import suppress
from typing import Any

from .application import Application
from .backend import choose_device, decide
from .choices import apply_document, apply_view, moves_by_itself
from .fallback import open_simulation
from .gui import Gui
from .interrupt import uninterrupted
from .job import Job
from .last_scene import first_scene, keep_unsaved, remember, reopen, tell_of_unsaved, without_memory
from .settings import Settings
from .simulation import Simulation
from .splash import draw_splash
from .stage import Stage
from .window import HIDDEN_RATE, MAX_RATE, Clock, Window
from .window_events import WindowEvents

PATIENCE = 3
"""Turns of the loop in a row that may fail before the program gives up."""
TITLE_INTERVAL = 0.5
SPLASH_RATE = 60.0
_BACKGROUND = (0.055, 0.090, 0.125)


def run_in_window(options: Namespace) -> int:
    """Opens the window and runs until it is closed."""
    session = WindowSession(options)
    try:
        if session.open():
            session.run()
            session.remember()
    except BaseException:
        session.rescue()
        raise
    finally:
        session.close()
    return 0


class WindowSession:
    """A window and the application in it: `open`, then `run` or one `turn` after the other, and `close` at last."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self.settings = Settings.load()
        self._start = first_scene(options, self.settings)
        self._device, self._reason = choose_device(options.backend)
        with uninterrupted():
            self.window = Window(self.settings, options.size)
        self.application: Application | None = None
        self._clock = Clock()
        self._title_age = TITLE_INTERVAL
        self._failures = 0
        try:
            with uninterrupted():
                self.gui = _make_gui(self.window)
                self.events = WindowEvents(self.window, self.gui)
        except BaseException:
            self.window.close()
            raise
        self.window.listen(self.events)

    def open(self) -> bool:
        """Captures or loads the scene behind a splash; False when the window was closed meanwhile."""
        options = self._options
        if options.full_screen:
            self.window.toggle_full_screen()
        opened = self._open_simulation()
        if opened is None:
            return False
        simulation, problem = opened
        with uninterrupted():
            stage = Stage(self.window.context, simulation.grid)
        self.application = application = Application(
            simulation,
            stage,
            decide(options.backend, simulation.device, self._reason or problem, stage.surface),
            gui=self.gui,
            settings=self.settings,
            viewport=self.window.viewport(),
        )
        application.window_actions["full_screen"] = self.window.toggle_full_screen
        apply_document(application, options)
        application.welcome(still=self._reopen(application) or moves_by_itself(options))
        apply_view(application, options.view, self.window.target)
        self.events.application = application
        return True

    def _open_simulation(self) -> tuple[Simulation, str] | None:
        """The first scene, else the default one, and why it is not on the GPU; None when the window was closed."""
        scene, grid, device, wanted = self._start.scene, self._start.grid, self._device, self._options.backend
        job = Job(f"opening {scene.title or scene.name}", lambda: open_simulation(scene, grid, device, wanted))
        if not self._splash(job):
            return None
        try:
            return job.result()
        except Exception as error:
            if not self._start.recalled:
                raise
            self._start = without_memory(self._options, error)
            return self._open_simulation()

    def _reopen(self, application: Application) -> bool:
        """The document, capture or preset of the last run; whether there was one."""
        if self._start.trouble:
            application.say(self._start.trouble)
        shown = self._start.recalled and reopen(application, self.settings, self._options)
        tell_of_unsaved(application, self.settings)
        return shown

    def run(self) -> None:
        """Turns until the window is closed, or as often as `--frames` says."""
        left = self._options.frames
        while self.going and left != 0:
            seconds = self._clock.tick(HIDDEN_RATE if self.window.viewport().empty else MAX_RATE)
            with uninterrupted():
                self.turn(seconds)
            if left is not None:
                left -= 1

    @property
    def going(self) -> bool:
        """Whether nobody has asked to end."""
        return self.application is not None and self.application.running and not self.events.closed

    def turn(self, seconds: float) -> None:
        """Events, one frame of the application, and the picture on the screen. A failure goes to the error dialog."""
        application = self.application
        if application is None:
            return
        self.window.pump()
        application.viewport = self.window.viewport()
        try:
            application.frame(seconds, self.window.target)
            self._failures = 0
        except Exception as error:
            self._failures += 1
            if self._options.verbose:
                traceback.print_exc()
            if self._failures >= PATIENCE:
                raise
            application.show_error(error)
        if not application.viewport.empty:
            self.window.show()
        self._title_age += seconds
        if self._title_age >= TITLE_INTERVAL:
            self._title_age = 0.0
            self.window.set_title(title(application))

    def remember(self) -> None:
        """Saves the window's place and the scene for the next run."""
        if self.application is not None:
            remember(self.application, self.settings)
        self.window.remember(self.settings)
        self.settings.save()

    def rescue(self) -> None:
        """After a failure that ends the run: keeps what was drawn and not saved."""
        if self.application is not None:
            with suppress(Exception):  # the failure itself is what has to be told
                keep_unsaved(self.application)

    def close(self) -> None:
        """Frees the GL objects and closes the window."""
        if self.application is not None:
            self.application.close()
        else:
            self.gui.release()
        self.window.close()

    def _splash(self, job: Job[Any]) -> bool:
        """Shows that something goes on until the job is done; False when the window was closed before."""
        waited = 0.0
        while not job.wait(0.001):
            self.window.pump()
            if self.events.closed:
                return False
            viewport = self.window.viewport()
            seconds = self._clock.tick(SPLASH_RATE)
            waited += seconds
            if not viewport.empty:
                self.window.clear(_BACKGROUND)
                self.gui.begin(viewport, seconds, self.settings.ui_scale)
                draw_splash(viewport, job.label, waited)
                self.gui.end(self.window.target)
                self.window.show()
        return True


def title(application: Application) -> str:
    """The window's title: scene, grid, frame rate and backend."""
    simulation = application.simulation
    name = simulation.scene.title or simulation.scene.name
    grid = simulation.grid
    parts = [f"Whitecap: {name} {grid.width} × {grid.height}", f"{application.timings.frame_rate:.0f} FPS"]
    if simulation.paused:
        parts.append("paused")
    return " · ".join([*parts, application.backend.badge])


def _make_gui(window: Window) -> Gui:
    from .view.gui_renderer import GuiRenderer

    gui = Gui(lambda: GuiRenderer(window.context))
    gui.use_clipboard(window.clipboard, window.set_clipboard)
    return gui
