"""The wave scene's numbers against float64 and against closed forms of its standing modes."""

import numpy as np
import pytest
from whitecap import _native
from whitecap.app.reference import WaveReference, energy, mode_eigenvalue, mode_frequency, mode_shape
from whitecap.app.scene import OFF_GRID, Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation


def make(grid, **values):
    simulation = Simulation(find_scene("wave"), grid)
    simulation.set_values(values)
    return simulation


def random_stroke(grid, frames, seed):
    """Where the brush is in each frame; lifted in a third of them."""
    generator = np.random.default_rng(seed)
    places = generator.uniform((0, 0), (grid.width, grid.height), (frames, 2))
    return [tuple(place) if generator.random() < 0.67 else OFF_GRID for place in places]


def play(simulation, stroke):
    for x, y in stroke:
        simulation.release()
        simulation.stroke.position = None
        if (x, y) != OFF_GRID:
            simulation.poke(x, y)
        simulation.frame()
        simulation.release()


def largest_difference(simulation, reference):
    return max(
        np.abs(simulation.field("heights") - reference.heights).max(),
        np.abs(simulation.field("heights_prev") - reference.heights_prev).max(),
    )


@pytest.mark.parametrize("substeps", [16, 15], ids=["even", "odd"])
def test_600_frames_of_random_ripples_stay_with_float64(substeps):
    grid = Grid(substeps=substeps)
    simulation, reference = make(grid), WaveReference(grid)
    stroke = random_stroke(grid, 600, seed=7)
    play(simulation, stroke)
    for mouse in stroke:
        reference.frame(mouse)
    # float32 rounds 9,600 sub-steps; the waves are about 2 high.
    assert largest_difference(simulation, reference) < 5e-4 * np.abs(reference.heights).max()


@pytest.mark.parametrize(
    ("width", "height", "substeps"),
    [(97, 131, 16), (131, 97, 7), (1, 40, 16), (40, 1, 9), (2, 2, 16), (1, 1, 3), (33, 64, 2), (17, 5, 64)],
)
def test_any_grid_agrees_with_float64(width, height, substeps):
    grid = Grid(width, height, substeps)
    k_speed = 60.0 if substeps >= 5 else 10.0  # few sub-steps are stable for slow waves only
    simulation, reference = make(grid, k_speed=k_speed, radius=3.0), WaveReference(grid, k_speed=k_speed, radius=3.0)
    stroke = random_stroke(grid, 20, seed=width * 1000 + height)
    play(simulation, stroke)
    for mouse in stroke:
        reference.frame(mouse)
    assert np.abs(reference.heights).max() > 1e-3
    assert largest_difference(simulation, reference) < 1e-4


@pytest.mark.parametrize("substeps", [16, 11])
@pytest.mark.parametrize(("m", "n"), [(1, 0), (0, 2), (3, 2), (9, 5), (31, 17)])
def test_a_standing_mode_has_the_frequency_and_decay_of_the_discrete_scheme(m, n, substeps):
    grid = Grid(64, 48, substeps)
    frames, k_speed, k_damp = 120, 60.0, 1000.0
    simulation = make(grid, k_speed=k_speed, k_damp=k_damp)
    shape = mode_shape(grid, m, n)
    simulation.set_input("heights", shape.astype(np.float32))
    simulation.set_input("heights_prev", shape.astype(np.float32))

    amplitudes = [1.0]
    for _ in range(frames):
        simulation.frame()
        amplitudes.append(project(simulation.heights(), shape))

    omega, decay = fit(np.array(amplitudes), grid.dt * substeps)
    expected_omega, expected_decay = mode_frequency(grid, m, n, k_speed, k_damp)
    assert omega == pytest.approx(expected_omega, rel=1e-4)
    assert decay == pytest.approx(expected_decay, rel=1e-4)


@pytest.mark.parametrize(("m", "n"), [(1, 0), (0, 1), (1, 1), (2, 1)])
def test_low_modes_follow_the_continuous_wave_equation(m, n):
    grid = Grid(64, 48)
    k_speed = 60.0
    simulation = make(grid, k_speed=k_speed, k_damp=0.0)
    shape = mode_shape(grid, m, n)
    simulation.set_input("heights", shape.astype(np.float32))
    simulation.set_input("heights_prev", shape.astype(np.float32))
    amplitudes = [1.0]
    for _ in range(120):
        simulation.frame()
        amplitudes.append(project(simulation.heights(), shape))
    omega, _ = fit(np.array(amplitudes), grid.dt * grid.substeps)
    wave_number = np.pi * np.hypot(m / (grid.width * grid.cell), n / (grid.height * grid.cell))
    assert omega == pytest.approx(np.sqrt(k_speed) * wave_number, rel=0.01)


def test_a_standing_mode_is_an_eigenvector_of_the_clamped_laplacian():
    reference = WaveReference(Grid(12, 7))
    shape = mode_shape(reference.grid, 5, 3)
    reference.heights = shape
    np.testing.assert_allclose(reference.laplacian(), mode_eigenvalue(reference.grid, 5, 3) * shape, atol=1e-9)


@pytest.mark.parametrize(("k_damp", "k_speed"), [(1.0, 60.0), (1000.0, 60.0), (1000.0, 2000.0), (200000.0, 60.0)])
def test_energy_never_grows_with_damping(k_damp, k_speed):
    grid = Grid(48, 40)
    assert stable(grid, k_speed, k_damp)
    simulation = Simulation(find_scene("wave"), grid)
    simulation.values.update(k_speed=k_speed, k_damp=k_damp)
    generator = np.random.default_rng(3)
    start = generator.normal(size=grid.shape).astype(np.float32)
    simulation.set_input("heights", start)
    simulation.set_input("heights_prev", start)
    first = before = energy(start, start, grid, k_speed, k_damp)
    for _ in range(60):
        simulation.frame()
        after = energy(simulation.field("heights"), simulation.field("heights_prev"), grid, k_speed, k_damp)
        assert after <= before * (1 + 1e-5) + 1e-9 * first  # float32 rounding stirs still water a little
        before = after


def test_energy_decays_by_one_minus_mu_a_sub_step_in_float64():
    grid = Grid(20, 16, 5)
    reference = WaveReference(grid, k_speed=50.0, k_damp=900.0)
    reference.heights = np.random.default_rng(1).normal(size=grid.shape)
    reference.heights_prev = reference.heights * 0.9
    before = reference.energy()
    reference.solve()
    assert reference.energy() == pytest.approx(before * (1 - 900.0 * grid.dt**2), rel=1e-12)


@pytest.mark.parametrize("grid", [Grid(97, 131, 5), Grid(300, 257, 4)], ids=str)
def test_one_and_many_threads_give_the_same_bits(grid):
    before = _native.thread_count()
    states = []
    try:
        for threads in (1, 2, 4, 7):
            _native.set_thread_count(threads)
            simulation = make(grid)
            play(simulation, random_stroke(grid, 12, seed=5))
            states.append((simulation.field("heights").tobytes(), simulation.field("heights_prev").tobytes()))
    finally:
        _native.set_thread_count(before)
    assert len(set(states)) == 1


def test_waves_stay_symmetric_when_the_drop_is_in_the_middle():
    grid = Grid(33, 33, 7)
    simulation = make(grid)
    simulation.poke(16, 16)
    simulation.release()
    for _ in range(30):
        simulation.frame()
    heights = simulation.heights()
    np.testing.assert_allclose(heights, heights[:, ::-1], atol=1e-6)
    np.testing.assert_allclose(heights, heights.T, atol=1e-6)


def stable(grid, k_speed, k_damp):
    mu = k_damp * grid.dt**2
    return k_speed * grid.dt**2 / grid.cell**2 <= (2 - mu) / 4


def project(heights, shape):
    """The amplitude of `shape` in `heights`."""
    return float(np.sum(heights.astype(np.float64) * shape) / np.sum(shape**2))


def fit(amplitudes, interval):
    """(angular frequency, decay rate) of a_{n+1} = p a_n - q a_{n-1}, by least squares; needs no start values."""
    later, middle, earlier = amplitudes[2:], amplitudes[1:-1], amplitudes[:-2]
    (p, minus_q), *_ = np.linalg.lstsq(np.stack([middle, earlier], axis=1), later, rcond=None)
    root = complex(p / 2, np.sqrt(max(-minus_q - p * p / 4, 0.0)))
    return np.angle(root) / interval, -np.log(abs(root)) / interval
