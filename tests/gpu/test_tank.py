"""The tank on the GPU: walls, slow water, every kind of edge and moving sources give the bits that the CPU gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from whitecap.app.captures import CaptureCache
from whitecap.app.lab.medium import make_medium
from whitecap.app.lab.sources import STEP_DTYPE, Drive, Source, table_entries
from whitecap.app.lab.walls import Boundaries, Box, Disc
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

FRAMES = 400
WALLS = (
    Box(0.3, 0.2, 0.36, 0.5),
    Disc(0.7, 0.4, 0.12, kind="slow", speed=0.5),
    Box(0.1, 0.6, 0.3, 0.7, kind="absorbing"),
)
SOURCES = (
    Source("point", x=0.15, y=0.3, frequency=4.0, amplitude=0.1, uid=1),
    Source("line", x=0.5, y=0.1, x2=0.8, y2=0.2, frequency=3.0, amplitude=0.1, phase=40.0, uid=2),
    Source("moving", x=0.5, y=0.3, x2=0.9, y2=0.4, frequency=5.0, amplitude=0.1, uid=3),
    Source("rain", x=0.0, y=0.0, x2=1.0, y2=0.6, frequency=20.0, amplitude=0.2, uid=4),
)
EDGES = (
    Boundaries(),
    Boundaries("fixed", "absorbing", "absorbing", "fixed"),
    Boundaries("periodic", "periodic", "absorbing", "reflecting"),
)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize(("width", "height", "substeps"), [(128, 128, 16), (131, 97, 7), (300, 512, 8)])
def test_the_tank_has_the_same_bits_on_both_devices(
    tmp_path_factory: pytest.TempPathFactory, edges: Boundaries, width: int, height: int, substeps: int
) -> None:
    grid = Grid(width, height, substeps)
    cache = CaptureCache(tmp_path_factory.getbasetemp() / "tank")
    both = [Simulation(find_scene("tank"), grid, device=device, cache=cache) for device in ("cpu", "cuda")]
    medium, drive = make_medium(WALLS, edges, grid.shape, grid.cell), Drive()
    for simulation in both:
        simulation.set_values({"k_damp": 50.0, "radius": 6.0})
        simulation.set_input("speed", medium.speed)
        simulation.set_input("damping", medium.damping)
        simulation.set_input("edges", edges.codes())
    for n in range(FRAMES):
        table, count = drive.frame(SOURCES, substeps, both[0].dt, grid.shape, grid.cell, math.sqrt(60.0))
        whole = np.zeros(table_entries(substeps), dtype=STEP_DTYPE)
        whole[: len(table)] = table
        for simulation in both:
            simulation.set_input("sources", whole)
            simulation.set_input("source_count", np.array([count], dtype=np.int32))
            if n % 50 < 20:
                simulation.poke(10.0 + 1.7 * n % width, 5.0 + 0.9 * n % height)
            else:
                simulation.release()
            simulation.frame()
    cpu, cuda = ([simulation.field(name) for name in ("heights", "heights_prev")] for simulation in both)
    assert np.isfinite(cpu[0]).all()
    assert np.abs(cpu[0]).max() > 0.05
    assert cpu[0].tobytes() == np.ascontiguousarray(cuda[0]).tobytes()
    assert cpu[1].tobytes() == np.ascontiguousarray(cuda[1]).tobytes()
