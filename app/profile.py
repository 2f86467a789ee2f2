"""`whitecap profile`: a Chrome trace of capture, compile, load and frames."""

from __future__ import annotations

import os
import tempfile
from argparse import Namespace

from . import trace
from .backend import choose_device
from .captures import CaptureCache
from .choices import chosen_grid, chosen_scene
from .demonstration import drop
from .errors import notice
from .fallback import open_simulation
from .gl_context import GLUnavailable
from .messages import counted
from .simulation import Simulation


def profile(options: Namespace) -> int:
    """Captures afresh, loads and runs frames, drawn off screen where there is OpenGL; writes the trace."""
    kept = trace.start()
    try:
        with tempfile.TemporaryDirectory(prefix="whitecap-profile-") as folder:
            os.environ["WHITECAP_CACHE_DIR"] = folder  # of this process: nothing is found compiled
            _run(options, CaptureCache())
    finally:
        trace.stop()
    kept.save(options.out)
    print(f"{options.out}: {len(kept.events)} spans of {counted(options.frames, 'frame')}; open it in ui.perfetto.dev")
    return 0


def _run(options: Namespace, cache: CaptureCache) -> None:
    scene = chosen_scene(options)
    device, _ = choose_device(options.backend)
    with trace.span("open", "capture"):
        simulation, _ = open_simulation(scene, chosen_grid(options, scene), device, options.backend, cache)
    simulation.synchronous = True
    try:
        _run_drawn(options, simulation)
    except GLUnavailable as error:
        notice(f"{error}; the trace has no transfer and drawing")
        for number in range(options.frames):
            drop(simulation, number)
            simulation.frame()


def _run_drawn(options: Namespace, simulation: Simulation) -> None:
    from .offscreen import OffscreenSession

    with OffscreenSession(options, simulation=simulation) as session:
        for number in range(options.frames):
            with trace.span("whole frame", "frame", number=number):
                session.frame()
