"""`whitecap --benchmark`: how long simulation, transfer and drawing take here, as a table and as JSON."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from time import perf_counter
from typing import Any

from .application import Application
from .backend import choose_device, cpu_backend
from .choices import DEFAULT_SIZE, apply_document, chosen_grid, chosen_scene, moves_by_itself
from .demonstration import drop
from .errors import UserError, notice
from .files import write_atomically
from .gl_context import GLUnavailable
from .messages import counted
from .offscreen import OffscreenSession
from .simulation import Simulation
from .stage import Stage
from .timings import PHASES, Timings
from .viewport import Viewport

FRAMES = 300
LONGEST = 20.0
"""Seconds after which a slow renderer is stopped, unless `--frames` says how many there shall be."""
WARM_UP = 30
LONGEST_WARM_UP = 2.0


def benchmark(options: Namespace) -> int:
    """Runs frames off screen and prints minimum, median and maximum of each phase; the JSON is the last line."""
    frames = options.frames or FRAMES
    try:
        report = _drawn(options, frames, LONGEST if options.frames is None else math.inf)
    except GLUnavailable as error:
        notice(f"{error}; timing the simulation alone")
        report = _undrawn(options, frames)
    _print(report)
    text = json.dumps(report)
    print(text)
    if options.json is not None:
        write_atomically(options.json, text.encode() + b"\n")
    return 0


def _drawn(options: Namespace, frames: int, longest: float) -> dict[str, Any]:
    with OffscreenSession(options) as session:
        application = session.application
        _start(application, frames)
        application.finish = session.context.finish
        _repeat(session, WARM_UP, LONGEST_WARM_UP)
        application.timings.clear()
        done = _repeat(session, frames, longest)
        return _report(application, done, session.facts.renderer, options.size or DEFAULT_SIZE)


def _repeat(session: OffscreenSession, frames: int, longest: float) -> int:
    """Draws frames for at most so many seconds; how many there were."""
    end = perf_counter() + longest
    for number in range(frames):
        session.frame()
        if perf_counter() > end:
            return number + 1
    return frames


def _undrawn(options: Namespace, frames: int) -> dict[str, Any]:
    scene = chosen_scene(options)
    device, _ = choose_device(options.backend)
    if device != "cpu":
        raise UserError("--benchmark without OpenGL times the CPU only: run with --backend cpu")
    grid = chosen_grid(options, scene)
    application = Application(Simulation(scene, grid), Stage(None, grid), cpu_backend(), viewport=Viewport(0, 0))
    apply_document(application, options)
    _start(application, frames)
    for number in range(WARM_UP + frames):
        if number == WARM_UP:
            application.timings.clear()
        if not moves_by_itself(options):
            drop(application.simulation, number)
        application.fixed_frame()
    return _report(application, frames, None, None)


def _start(application: Application, frames: int) -> None:
    application.simulation.timings = Timings(frames)
    application.simulation.synchronous = True


def _report(
    application: Application, frames: int, renderer: str | None, size: tuple[int, int] | None
) -> dict[str, Any]:
    from .. import _native

    simulation = application.simulation
    grid = simulation.grid
    return {
        "whitecap": _native.__version__,
        "scene": simulation.scene.name,
        "width": grid.width,
        "height": grid.height,
        "substeps": grid.substeps,
        "backend": application.backend.rung,
        "device": application.backend.badge,
        "renderer": renderer,
        "picture": list(size) if size else None,
        "frames": frames,
        "phases": {name: application.timings.phases[name].summary().as_dict() for name in PHASES},
    }


def _print(report: dict[str, Any]) -> None:
    print(
        f"{report['scene']} {report['width']} x {report['height']}, {counted(report['substeps'], 'sub-step')}, "
        f"{report['device']}"
    )
    if report["renderer"]:
        width, height = report["picture"]
        print(f"{report['renderer']}, {width} x {height} pixels")
    print(f"{counted(report['frames'], 'frame')}, milliseconds:")
    print(f"  {'phase':<12}{'min':>10}{'median':>10}{'max':>10}")
    for name, times in report["phases"].items():
        if times["count"]:
            print(f"  {name:<12}{times['min_ms']:>10.3f}{times['median_ms']:>10.3f}{times['max_ms']:>10.3f}")
