"""When the GPU fails, at the start or while the application runs: the CPU simulates instead."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from .backend import cpu_backend
from .errors import one_line
from .scenes import find_scene
from .simulation import Simulation

if TYPE_CHECKING:
    from .application import Application
    from .captures import CaptureCache
    from .scene import Grid, Scene

# Of the program, of the driver, or of a program that stopped at an earlier failure.
FAILURES = ("WC_ERROR_CUDA", "WC_ERROR_DEVICE", "WC_ERROR_MEMORY", "WC_ERROR_REPLAY", "WC_ERROR_STATE")


def open_simulation(
    scene: Scene, grid: Grid, device: str, wanted: str, cache: CaptureCache | None = None
) -> tuple[Simulation, str]:
    """The scene on the device, and why it is on the CPU after all (empty when it is not).

    wanted: what `--backend` says. "auto" takes the CPU when there is a GPU that cannot run the scene: without NVRTC,
    with too old a driver, or without room. A forced device that fails raises.
    """
    try:
        return Simulation(scene, grid, device=device, cache=cache), ""
    except Exception as error:  # the scene's own as well: the CPU raises that again
        if device == "cpu" or wanted != "auto":
            raise
        return Simulation(scene, grid, device="cpu", cache=cache), one_line(error)


def is_gpu_failure(simulation: Simulation, error: Exception) -> bool:
    """Whether the device is to blame, and the CPU could go on."""
    return simulation.device != "cpu" and getattr(error, "code", "") in FAILURES


def leave_gpu(application: Application, error: Exception) -> None:
    """Replaces the simulation by one on the CPU, with the waves as they are or as they last were known.

    A capture from a file that the CPU cannot run gives way to the default scene.
    """
    former = application.simulation
    fields = _last_fields(application)
    former.abandon(fields)
    with suppress(Exception):
        application.backend.transfer.release()
    application.backend = cpu_backend(f"the GPU failed: {one_line(error)}")
    simulation, problem = _on_the_cpu(former)
    if not problem:
        simulation.restore(fields)
    application.stage.renew_surface()  # the former one's buffer may have been left in the hands of the GPU
    application.take_over(simulation)
    application.swap.start_again()
    application.show_error(f"the GPU failed and the CPU goes on{problem}: {error}")


def _last_fields(application: Application) -> dict[str, np.ndarray]:
    try:
        return application.simulation.checkpoint()
    except Exception:
        good = application.lab.rescue.good
        return dict(good.fields) if good is not None else {}


def _on_the_cpu(former: Simulation) -> tuple[Simulation, str]:
    """The same scene, or the default one and why."""
    try:
        simulation = Simulation(former.scene, former.grid, cache=former.cache)
    except Exception as error:
        return Simulation(find_scene("wave"), cache=former.cache), f" with another scene ({one_line(error)})"
    simulation.values = dict(former.values)
    return simulation, ""
