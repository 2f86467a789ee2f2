"""From flags to a running application: in the window, with a splash while something must compile."""

from __future__ import annotations

import traceback
from argparse import Namespace
from typing import Any

from .application import Application
from .backend import choose_device, decide
from .choices import apply_preset, apply_view, chosen_grid, chosen_scene
from .errors import UserError
from .gui import Gui
from .job import Job
from .settings import Settings
from .simulation import Simulation
from .stage import Stage
from .window import HIDDEN_RATE, MAX_RATE, Clock, Window, WindowEvents

PATIENCE = 3
"""Turns of the loop in a row that may fail before the program gives up."""
TITLE_INTERVAL = 0.5


def run_in_window(options: Namespace) -> int:
    """Opens the window, captures or loads the scene behind a splash, and runs until the window is closed."""
    settings = Settings.load()
    scene = _first_scene(options, settings)
    grid = chosen_grid(options, scene)
    device, reason = choose_device(options.backend)
    window = Window(settings, options.size)
    try:
        gui = _make_gui(window)
        events = WindowEvents(window, gui)
        window.listen(events)
        if options.full_screen:
            window.toggle_full_screen()
        job = Job(f"opening {scene.title or scene.name}", lambda: Simulation(scene, grid, device=device))
        simulation = _wait_behind_splash(window, gui, events, job)
        if simulation is None:
            return 0
        stage = Stage(window.context, simulation.grid)
        backend = decide(options.backend, device, reason, stage.surface)
        application = Application(simulation, stage, backend, gui=gui, settings=settings, viewport=window.viewport())
        application.window_actions["full_screen"] = window.toggle_full_screen
        apply_view(stage.camera, options.view)
        apply_preset(application, options.preset)
        application.welcome(still=options.preset is not None)
        events.application = application
        _loop(window, events, application, options)
        settings.scene = application.simulation.scene.name
        window.remember(settings)
        settings.save()
        application.close()
    finally:
        window.close()
    return 0


def _first_scene(options: Namespace, settings: Settings) -> Any:
    """The scene asked for, else the one of the last run where that still exists."""
    if options.scene or options.preset:
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


def _wait_behind_splash(window: Window, gui: Gui, events: WindowEvents, job: Job[Simulation]) -> Simulation | None:
    """The simulation when it is ready; None when the window was closed before."""
    from .splash import draw_splash

    clock = Clock()
    waited = 0.0
    while not job.done:
        window.pump()
        if events.closed:
            return None
        viewport = window.viewport()
        seconds = clock.tick(60.0)
        waited += seconds
        if not viewport.empty:
            window.target.use()
            window.context.clear(*_BACKGROUND)
            gui.begin(viewport, seconds)
            draw_splash(viewport, job.label, waited)
            gui.end(window.target)
            window.show()
        job.wait(0.001)
    return job.result()


_BACKGROUND = (0.055, 0.090, 0.125)


def _loop(window: Window, events: WindowEvents, application: Application, options: Namespace) -> None:
    clock = Clock()
    title_age, frames = TITLE_INTERVAL, options.frames
    failures = 0
    while application.running and not events.closed and frames != 0:
        window.pump()
        application.viewport = viewport = window.viewport()
        seconds = clock.tick(HIDDEN_RATE if viewport.empty else MAX_RATE)
        try:
            application.frame(seconds, window.target)
            failures = 0
        except Exception as error:
            failures += 1
            if failures == 1 and options.verbose:
                traceback.print_exc()
            application.show_error(error)
            if failures >= PATIENCE:
                raise
        if not viewport.empty:
            window.show()
        title_age += seconds
        if title_age >= TITLE_INTERVAL:
            title_age = 0.0
            window.set_title(title(application))
        if frames is not None:
            frames -= 1


def title(application: Application) -> str:
    """The window's title: scene, grid, frame rate and backend."""
    simulation = application.simulation
    name = simulation.scene.title or simulation.scene.name
    grid = simulation.grid
    parts = [f"Whitecap: {name} {grid.width} × {grid.height}", f"{application.timings.frame_rate:.0f} FPS"]
    if simulation.paused:
        parts.append("paused")
    return " · ".join([*parts, application.backend.badge])
