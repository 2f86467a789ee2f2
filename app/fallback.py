"""When the GPU fails while the application runs: the CPU goes on with the waves."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .backend import cpu_backend
from .errors import one_line
from .simulation import Simulation

if TYPE_CHECKING:
    from .application import Application

FAILURES = ("WC_ERROR_CUDA", "WC_ERROR_DEVICE", "WC_ERROR_MEMORY", "WC_ERROR_REPLAY")


def is_gpu_failure(simulation: Simulation, error: Exception) -> bool:
    """Whether the device is to blame, and the CPU could go on."""
    return simulation.device != "cpu" and getattr(error, "code", "") in FAILURES


def leave_gpu(application: Application, error: Exception) -> None:
    """Replaces the simulation by one on the CPU, with the waves as they are or as they last were known."""
    former = application.simulation
    try:
        fields = former.checkpoint()
    except Exception:
        good = application.lab.rescue.good
        fields = dict(good.fields) if good is not None else {}
    former.abandon(fields)
    with suppress(Exception):
        application.backend.transfer.release()
    application.backend = cpu_backend(f"the GPU failed: {one_line(error)}")
    simulation = Simulation(former.scene, former.grid, cache=former.cache)
    simulation.values = dict(former.values)
    simulation.restore(fields)
    application.take_over(simulation)
    application.show_error(f"the GPU failed and the CPU goes on: {error}")
