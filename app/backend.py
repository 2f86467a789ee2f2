"""The backend ladder, decided once at start: CUDA that never touches the host, CUDA through a pinned copy, CPU."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .errors import UserError, one_line
from .gpu_clock import GpuClock

if TYPE_CHECKING:
    from .simulation import Simulation


class HeightTransfer(Protocol):
    """Brings the simulated heights into the surface's vertex buffer."""

    def transfer(self, simulation: Simulation, surface: Any) -> None:
        """After this the next draw shows the heights of the last frame. Its time goes to the simulation's timings."""

    def release(self) -> None:
        """Lets go of the surface's GL buffer, which is still there; the next transfer takes hold of it again."""


class HostTransfer:
    """The CPU's rung: one upload from the region itself."""

    def transfer(self, simulation: Simulation, surface: Any) -> None:
        with simulation.timings.measure("transfer"):
            surface.upload(simulation.heights())

    def release(self) -> None:
        pass


class CudaTransfer:
    """Both CUDA rungs. interop: a copy on the device into the mapped GL buffer; else through a pinned host copy."""

    def __init__(self, interop: bool) -> None:
        self._interop = interop
        self._surface: Any = None
        self._buffer: Any = None
        self._clock: GpuClock | None = None
        self._timed: Any = None

    def transfer(self, simulation: Simulation, surface: Any) -> None:
        if surface is not self._surface:
            self.attach(surface)
        program = simulation.graph.program
        if not self._interop:  # waits for the copy, then hands it to OpenGL
            with simulation.timings.measure("transfer"):
                self._buffer.copy_from(program, simulation.scene.heights)
        else:
            clock = self._clock_of(program)
            clock.start()
            self._buffer.copy_from(program, simulation.scene.heights)
            clock.stop()
            for milliseconds in clock.finished():
                simulation.timings.phases["transfer"].add(milliseconds)
        surface.changed()

    def _clock_of(self, program: Any) -> GpuClock:
        """The GPU's own time of the copies on a program's stream."""
        if self._clock is None or program is not self._timed:
            self._clock, self._timed = GpuClock(program), program
        return self._clock

    def attach(self, surface: Any) -> None:
        """Takes hold of the surface's buffer. Raises InteropError when the device does not drive this GL context."""
        from ..capture import cuda_interop

        self.release()
        size = surface.height_buffer.size
        if self._interop:
            self._buffer = cuda_interop.register(surface.height_buffer.glo, size)
        else:
            self._buffer = cuda_interop.pinned(surface.height_buffer.write, size)
        self._surface = surface

    def release(self) -> None:
        buffer, self._buffer, self._surface = self._buffer, None, None
        self._clock = self._timed = None
        if buffer is not None:
            buffer.close()


@dataclass
class Backend:
    """A rung of the ladder. badge: for the status line. remedy: how to get to a better rung; empty on the best."""

    rung: str
    badge: str
    remedy: str = ""
    transfer: HeightTransfer = field(default_factory=HostTransfer)

    @property
    def device(self) -> str:
        """Where frames are replayed."""
        return "cpu" if self.rung == "cpu" else "cuda"


def choose_device(wanted: str) -> tuple[str, str]:
    """(device, why it is not CUDA) for `--backend`. "auto" steps down; a forced rung that is missing is a UserError."""
    if wanted == "cpu":
        return "cpu", "chosen with --backend cpu"
    problem = cuda_problem()
    if problem is None:
        return "cuda", ""
    if wanted != "auto":
        raise UserError(f"--backend {wanted}: {problem}; run with --backend auto or cpu")
    return "cpu", problem


def decide(wanted: str, device: str, reason: str, surface: Any) -> Backend:
    """The rung for a device that was chosen and a GL surface that is there. reason: why the device is not CUDA.

    Raises UserError when the forced rung is not there.
    """
    if device == "cpu":
        return cpu_backend(reason)
    name = device_name()
    if wanted == "cuda-copy":
        return Backend("cuda-copy", f"{name}, pinned copy", "chosen with --backend cuda-copy", CudaTransfer(False))
    transfer = CudaTransfer(interop=True)
    try:
        transfer.attach(surface)
    except Exception as error:
        reason = one_line(getattr(error, "reason", "") or error)
        remedy = one_line(getattr(error, "remedy", ""))
        if wanted == "cuda-interop":
            raise UserError(f"--backend cuda-interop: {reason}; {remedy or 'run with --backend auto'}") from error
        return Backend("cuda-copy", f"{name}, pinned copy", remedy or reason, CudaTransfer(False))
    return Backend("cuda-interop", f"{name}, GL interop", "", transfer)


def cpu_backend(reason: str = "") -> Backend:
    """The last rung."""
    from .. import _native

    threads = _native.thread_count()
    return Backend("cpu", f"CPU, {threads} thread{'s' if threads != 1 else ''}", reason)


def cuda_problem() -> str | None:
    """Why frames cannot be replayed with CUDA here, in one line; None when they can."""
    try:
        from ..capture.cuda_device import cuda_problem as problem

        return problem()
    except ImportError as error:
        return f"CUDA support is missing ({one_line(error)}); pip install 'whitecap[cuda]' adds it"
    except Exception as error:
        return one_line(error)


def device_name() -> str:
    """The first CUDA device's name."""
    with suppress(Exception):
        from ..capture.cuda_device import cuda_devices

        return str(cuda_devices()[0]["name"])
    return "CUDA"


def egl_device() -> int | None:
    """The EGL device that belongs to the CUDA device, for off-screen contexts; None where it cannot be told."""
    with suppress(Exception):
        from ..capture import cuda_interop

        return cuda_interop.egl_device_index(0)
    return None
