"""A running simulation: the brush, inputs, steps, and captures swapped under it."""

import numpy as np
import pytest
from whitecap.app.captures import CaptureCache
from whitecap.app.errors import UserError
from whitecap.app.reference import WaveReference
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

GRID = Grid(40, 30)


@pytest.fixture
def simulation():
    return Simulation(find_scene("wave"), GRID)


def test_water_stays_still_until_it_is_poked(simulation):
    for _ in range(5):
        simulation.frame()
    assert not simulation.heights().any()


def test_a_poke_raises_the_cells_under_the_brush(simulation):
    simulation.poke(12, 8)
    simulation.frame()
    row, column = np.unravel_index(np.argmax(simulation.heights()), GRID.shape)
    assert (row, column) == (8, 12)


def test_a_click_between_two_frames_makes_exactly_one_ripple(simulation):
    simulation.poke(12, 8)
    simulation.release()
    simulation.frame()
    simulation.frame()
    reference = WaveReference(GRID)
    reference.frame((12, 8))
    reference.frame()
    np.testing.assert_allclose(simulation.heights(), reference.heights, atol=1e-5)


def test_a_brush_that_is_held_pokes_in_every_frame(simulation):
    simulation.poke(12, 8)
    for _ in range(3):
        simulation.frame()
    reference = WaveReference(GRID)
    for _ in range(3):
        reference.frame((12, 8))
    np.testing.assert_allclose(simulation.heights(), reference.heights, atol=1e-5)


def test_a_fast_drag_leaves_no_gaps(simulation):
    simulation.set_values({"radius": 2.0, "k_speed": 0.0, "k_damp": 0.0})
    simulation.poke(4, 15)
    simulation.frame()
    simulation.poke(36, 15)
    simulation.frame()
    ridge = simulation.heights()[15, 4:37]
    assert ridge.min() > 0.5 * simulation.values["magnitude"]


def test_a_lifted_brush_starts_a_new_stroke(simulation):
    simulation.set_values({"radius": 2.0, "k_speed": 0.0, "k_damp": 0.0})
    simulation.poke(4, 15)
    simulation.frame()
    simulation.release()
    simulation.frame()
    simulation.poke(36, 15)
    simulation.frame()
    assert simulation.heights()[15, 12:28].max() == 0.0


def test_a_poke_on_a_paused_surface_shows_at_once(simulation):
    simulation.paused = True
    simulation.poke(12, 8)
    simulation.settle()
    np.testing.assert_allclose(simulation.heights(), reference_brush((12, 8)), atol=1e-6)
    simulation.settle()
    np.testing.assert_allclose(simulation.heights(), reference_brush((12, 8)), atol=1e-6)


def reference_brush(place):
    reference = WaveReference(GRID)
    reference.displace(*place)
    return reference.heights


def test_heights_are_the_region_itself_and_not_a_copy(simulation):
    view = simulation.heights()
    assert view.flags.writeable
    simulation.poke(5, 5)
    simulation.frame()
    assert view.any()
    view[3, 4] = 7.0
    data = np.empty(GRID.shape, dtype=np.float32)
    simulation.graph.get_param("heights", data)
    assert data[3, 4] == 7.0


def test_sixteen_sub_steps_alone_are_one_frame(simulation):
    start = np.random.default_rng(0).normal(size=GRID.shape).astype(np.float32)
    whole = Simulation(find_scene("wave"), GRID)
    for each in (simulation, whole):
        each.set_input("heights", start)
        each.set_input("heights_prev", start)
    whole.frame()
    for _ in range(GRID.substeps):
        simulation.step_substep()
    np.testing.assert_array_equal(simulation.heights(), whole.heights())
    np.testing.assert_array_equal(simulation.field("heights_prev"), whole.field("heights_prev"))


def test_a_parameter_changes_the_next_frame_without_another_capture(simulation):
    graph = simulation.graph
    simulation.set_values({"magnitude": 1.5, "k_speed": 0.0, "k_damp": 0.0})
    simulation.poke(12, 8)
    simulation.frame()
    assert simulation.heights().max() == pytest.approx(1.5)
    assert simulation.graph is graph


def test_parameters_are_held_to_their_range(simulation):
    simulation.set_values({"k_speed": -5.0, "radius": float("nan")})
    assert (simulation.values["k_speed"], simulation.values["radius"]) == (0.0, 5.0)


def test_the_time_scale_changes_the_time_step(simulation):
    simulation.time_scale = 0.25
    simulation.frame()
    packed = simulation.input_bytes("params").view(np.float32)
    assert packed[-1] == pytest.approx(GRID.dt / 4)
    assert simulation.seconds == pytest.approx(1 / 240)


def test_another_sub_step_count_keeps_the_waves_and_their_velocity(simulation):
    simulation.set_values({"k_damp": 0.0})
    simulation.poke(20, 15)
    simulation.release()
    for _ in range(10):
        simulation.frame()
    heights, velocity = simulation.heights().copy(), velocity_of(simulation)
    simulation.recapture(GRID.with_(substeps=23))
    np.testing.assert_array_equal(simulation.heights(), heights)
    np.testing.assert_allclose(velocity_of(simulation), velocity, atol=2e-3)


def velocity_of(simulation):
    return (simulation.heights() - simulation.field("heights_prev")) / simulation.dt


def test_another_size_carries_the_waves_over(simulation):
    x = np.linspace(-1, 1, GRID.width, dtype=np.float32)
    simulation.set_input("heights", np.tile(x, (GRID.height, 1)))
    simulation.recapture(Grid(80, 60))
    assert simulation.heights().shape == (60, 80)
    np.testing.assert_allclose(simulation.heights()[30], np.linspace(-1, 1, 80), atol=0.03)
    simulation.frame()
    assert np.isfinite(simulation.heights()).all()


def test_a_recapture_keeps_parameters_and_the_brush(simulation):
    simulation.set_values({"magnitude": 1.0, "k_speed": 0.0, "k_damp": 0.0})
    simulation.poke(20, 15)
    simulation.recapture(GRID.with_(substeps=8))
    simulation.frame()
    assert simulation.heights()[15, 20] == pytest.approx(1.0)


def test_a_failed_recapture_changes_nothing(simulation, monkeypatch):
    simulation.poke(20, 15)
    simulation.frame()
    before, grid = simulation.heights().copy(), simulation.grid

    def fail(*_):
        raise UserError("no room")

    monkeypatch.setattr(simulation.cache, "load", fail)
    with pytest.raises(UserError, match="no room"):
        simulation.recapture(Grid(64, 64))
    assert simulation.grid == grid
    np.testing.assert_array_equal(simulation.heights(), before)
    simulation.frame()


def test_reset_is_still_water_with_the_same_parameters(simulation):
    simulation.set_values({"k_speed": 33.0})
    simulation.poke(20, 15)
    simulation.frame()
    simulation.release()
    simulation.reset()
    simulation.frame()
    assert not simulation.heights().any()
    assert simulation.values["k_speed"] == 33.0


def test_a_checkpoint_brings_the_same_waves_back(simulation):
    simulation.poke(20, 15)
    simulation.release()
    simulation.frame()
    kept = simulation.checkpoint()
    simulation.frame()
    later = simulation.heights().copy()
    simulation.restore(kept)
    simulation.frame()
    np.testing.assert_array_equal(simulation.heights(), later)


@pytest.mark.parametrize("name", ["heights", "params", "mouse_pos"])
@pytest.mark.parametrize("change", [-4, 4])
def test_an_input_of_the_wrong_size_is_refused(simulation, name, change):
    size = simulation.input_bytes(name).nbytes + change
    with pytest.raises(UserError, match=f"input {name}: got {size} bytes"):
        simulation.set_input(name, np.zeros(size, dtype=np.uint8))


def test_an_unknown_input_is_refused_with_the_known_ones(simulation):
    with pytest.raises(UserError, match="no parameter 'walls'; it has: heights"):
        simulation.set_input("walls", np.zeros(4, dtype=np.uint8))


def test_the_captured_grid_must_fit_the_file(tmp_path):
    simulation = Simulation(find_scene("wave"), GRID, cache=CaptureCache(tmp_path))
    simulation.grid = Grid(41, 30)
    with pytest.raises(UserError, match="41 x 30"):
        simulation._bind()
