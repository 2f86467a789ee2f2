"""Drops that fall by themselves, the same in every run: for pictures, films and benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .simulation import Simulation

INTERVAL = 24
"""Frames between two drops."""
PRESS = 2
"""Frames that each drop lasts."""

# Steps of a sequence that fills the square evenly (the plastic number's powers).
_STEP_X, _STEP_Y = 0.7548776662466927, 0.5698402909980532


def drop(simulation: Simulation, frame: int) -> None:
    """Puts the brush down or lifts it for the frame of that number, from 0."""
    number, age = divmod(frame, INTERVAL)
    if age >= PRESS:
        simulation.release()
        return
    grid = simulation.grid
    x, y = (0.5 + number * _STEP_X) % 1.0, (0.5 + number * _STEP_Y) % 1.0
    simulation.poke((0.1 + 0.8 * x) * grid.width, (0.1 + 0.8 * y) * grid.height)
