"""From flags to a running application in the window, with a splash while something must compile."""

from __future__ import annotations

import traceback
from argparse import Namespace
from pathlib import Path
from typing import Any

from .application import Application
from .backend import choose_device, decide
from .choices import apply_document, apply_view, chosen_grid, chosen_scene, moves_by_itself
from .errors import UserError
from .fallback import open_simulation
from .gui import Gui
from .interrupt import uninterrupted
from .job import Job
from .scene import Scene
from .settings import Settings
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
    finally:
        session.close()
    return 0


class WindowSession:
    """A window and the application in it: `open`, then `run` or one `turn` after the other, and `close` at last."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self.settings = Settings.load()
        self._scene = _first_scene(options, self.settings)
        self._grid = chosen_grid(options, self._scene)
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
        options, scene, grid, device = self._options, self._scene, self._grid, self._device
        if options.full_screen:
            self.window.toggle_full_screen()
        job = Job(f"opening {scene.title or scene.name}", lambda: open_simulation(scene, grid, device, options.backend))
        if not self._splash(job):
            return False
        simulation, problem = job.result()
        with uninterrupted():
            stage = Stage(self.window.context, grid)
        self.application = application = Application(
            simulation,
            stage,
            decide(options.backend, simulation.device, self._reason or problem, stage.surface),
            gui=self.gui,
            settings=self.settings,
            viewport=self.window.viewport(),
        )
        application.window_actions["full_screen"] = self.window.toggle_full_screen
        apply_view(application, options.view, self.window.target)
        apply_document(application, options)
        reopened = not options.scene and not moves_by_itself(options) and self._reopen(application)
        application.welcome(still=reopened or moves_by_itself(options))
        self.events.application = application
        return True

    def _reopen(self, application: Application) -> bool:
        """The scene file or preset of the last run, where it is still there; whether there was one."""
        lab, settings = application.lab, self.settings
        if settings.file and Path(settings.file).is_file():
            return lab.load(settings.file)
        names = [preset.name for preset in lab.presets]
        return settings.preset in names and lab.open_preset(names.index(settings.preset))

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
            self._remember_scene(self.application)
        self.window.remember(self.settings)
        self.settings.save()

    def _remember_scene(self, application: Application) -> None:
        settings, library = self.settings, application.lab.library
        settings.scene = application.simulation.scene.name
        settings.file = str(library.path.resolve()) if library.path is not None else ""
        if library.preset_index is None:
            settings.preset = ""

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


def _first_scene(options: Namespace, settings: Settings) -> Scene:
    """The scene asked for, else the one of the last run where that still exists."""
    if options.scene or moves_by_itself(options):
        return chosen_scene(options)
    try:
        return chosen_scene(options, settings.scene)
    except UserError:
        return chosen_scene(options)


def _make_gui(window: Window) -> Gui:
    from .view.gui_renderer import GuiRenderer

    gui = Gui(lambda: GuiRenderer(window.context))
    gui.use_clipboard(window.clipboard, window.set_clipboard)
    return gui
