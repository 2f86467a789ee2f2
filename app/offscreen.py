"""The application without a window: the same loop on an EGL context, for screenshots and machines without a display."""

from __future__ import annotations

import os
import tempfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from .application import Application
from .backend import choose_device, decide, egl_device
from .choices import DEFAULT_SIZE, apply_document, apply_view, chosen_grid, chosen_scene, moves_by_itself
from .demonstration import drop
from .errors import notice
from .fallback import open_simulation
from .files import writable_folder
from .interrupt import uninterrupted
from .messages import counted
from .settings import Settings
from .simulation import Simulation
from .stage import Stage
from .viewport import Viewport

DEMONSTRATION_SECONDS = 5.0
DEMONSTRATION_FRAMES = 90
"""Frames at least, however slow the machine: waves need some to spread."""
DRAWN_AT_LEAST = 3
"""Frames drawn before a picture is taken; what the renderer measures in one frame it uses in the next."""
DEMONSTRATION_PICTURE = "whitecap.png"


class OffscreenSession:
    """An application that draws into a picture. Use as a context manager: the GL objects go at its end.

    Raises GLUnavailable where there is no EGL, UserError for what the flags ask and the machine lacks.
    """

    def __init__(self, options: Namespace, simulation: Simulation | None = None) -> None:
        """simulation: the one to show, where it is there already."""
        from .gl_context import facts, offscreen_context
        from .view.picture import OffscreenTarget

        scene = simulation.scene if simulation else chosen_scene(options)
        grid = simulation.grid if simulation else chosen_grid(options, scene)
        device, reason = choose_device(options.backend)
        width, height = getattr(options, "size", None) or DEFAULT_SIZE
        with uninterrupted():
            self.context = offscreen_context(egl_device() if device == "cuda" else None)
            self.facts = facts(self.context)
            self.target = OffscreenTarget(self.context, width, height)
        if simulation is None:
            simulation, problem = open_simulation(scene, grid, device, options.backend)
            device, reason = simulation.device, reason or problem
            if problem:
                notice(f"frames run on the CPU: {problem}")
        with uninterrupted():
            stage = Stage(self.context, grid)
        stage.look.auto_quality = False
        self.application = Application(
            simulation,
            stage,
            decide(options.backend, device, reason, stage.surface),
            gui=_gui(self.context) if getattr(options, "panels", False) else None,
            settings=Settings(hint_seen=True),
            viewport=Viewport(width, height),
        )
        self._viewport = self.application.viewport
        apply_document(self.application, options)
        apply_view(self.application, getattr(options, "view", None), self.target.framebuffer)
        self._drops = not moves_by_itself(options)
        self._frame = 0

    def frame(self, draw: bool = True) -> None:
        """The next simulated frame, drawn or not; drops fall unless a preset brings its own motion."""
        self.application.viewport = self._viewport if draw else Viewport(0, 0)
        if self._drops:
            drop(self.application.simulation, self._frame)
        self._frame += 1
        with uninterrupted():
            self.application.fixed_frame(self.target.framebuffer)

    def pixels(self) -> Any:
        """The picture as it is: (height, width, 3) uint8, top row first."""
        return self.target.read()

    def __enter__(self) -> OffscreenSession:
        return self

    def __exit__(self, *failure: object) -> None:
        self.application.close()
        self.target.release()
        self.context.release()


def offscreen(options: Namespace) -> int:
    """Runs some frames and writes the last one where `--screenshot` says."""
    from .view.picture import write_png

    with OffscreenSession(options) as session:
        frames = options.frames or 1
        for number in range(frames):
            session.frame(draw=options.screenshot is None or number >= frames - DRAWN_AT_LEAST)
        if options.screenshot is not None:
            write_png(options.screenshot, session.pixels())
            print(options.screenshot)
        else:
            print(f"{counted(frames, 'frame')} on {session.facts.renderer}, {session.application.backend.badge}")
    return 0


def demonstration(options: Namespace) -> int:
    """What a machine without a display gets: some seconds of the same loop, and a picture of the last frame."""
    from .view.picture import write_png

    with OffscreenSession(options) as session:
        end = perf_counter() + DEMONSTRATION_SECONDS
        frames = 0
        while perf_counter() < end or frames < DEMONSTRATION_FRAMES:
            session.frame(draw=perf_counter() < end or frames >= DEMONSTRATION_FRAMES - DRAWN_AT_LEAST)
            frames += 1
            if options.frames is not None and frames >= options.frames:
                break
        path = _place()
        write_png(path, session.pixels())
    print(path)
    return 0


def _place() -> Path:
    """Where the demonstration's picture goes: the working folder, else a new file that nobody else can have made."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        notice("the working folder is not there any more; the picture goes to the temporary folder")
    else:
        if writable_folder(folder):
            return folder / DEMONSTRATION_PICTURE
        notice(f"{folder} cannot be written to; the picture goes to the temporary folder")
    handle, name = tempfile.mkstemp(prefix="whitecap-", suffix=".png")
    os.close(handle)
    return Path(name)


def _gui(context: Any) -> Any:
    from .gui import Gui
    from .view.gui_renderer import GuiRenderer

    make: Callable[[], Any] = lambda: GuiRenderer(context)  # noqa: E731
    return Gui(make)
