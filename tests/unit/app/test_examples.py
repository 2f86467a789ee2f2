"""The example scenes: they run from their file alone, and their numbers are right."""

from pathlib import Path

import numpy as np
import pytest
from whitecap.app.application import Application
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_in_the_application(path):
    scene = find_scene(str(path))
    application = Application(Simulation(scene), Stage(None, scene.default_grid))
    application.simulation.poke(40, 50)
    for _ in range(5):
        application.fixed_frame()
    assert application.simulation.heights().max() > 0
    assert np.isfinite(application.simulation.heights()).all()
    assert not application.errors
    application.close()


@pytest.mark.parametrize("substeps", [4, 5])
def test_heat_spreads_as_in_numpy_and_none_is_lost_behind_an_insulated_border(substeps):
    grid = Grid(30, 20, substeps)
    simulation = Simulation(find_scene(str(EXAMPLES[0].parent / "heat.py")), grid)
    start = np.random.default_rng(0).random(grid.shape).astype(np.float32)
    simulation.set_input("heights", start)
    heat = start.astype(np.float64)
    for _ in range(10):
        simulation.frame()
        for _ in range(substeps):
            h = np.pad(heat, 1, mode="edge")
            around = h[1:-1, 2:] + h[1:-1, :-2] + h[2:, 1:-1] + h[:-2, 1:-1]
            heat = heat + grid.dt * 0.6 / grid.cell**2 * (around - 4 * heat)
    np.testing.assert_allclose(simulation.heights(), heat, atol=2e-6)
    assert simulation.heights().sum() == pytest.approx(start.sum(), rel=1e-5)


def test_a_cold_border_takes_heat_away():
    grid = Grid(30, 20, 4)
    simulation = Simulation(find_scene(str(EXAMPLES[0].parent / "heat.py")), grid)
    simulation.set_input("heights", np.ones(grid.shape, dtype=np.float32))
    simulation.set_values({"border": 1.0})
    for _ in range(20):
        simulation.frame()
    assert simulation.heights()[0, 0] < simulation.heights()[10, 15] < 1.0
