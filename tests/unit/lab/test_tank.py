"""The tank's kernels against a float64 reference and against what waves do."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from whitecap.app.captures import CaptureCache
from whitecap.app.lab.medium import make_medium
from whitecap.app.lab.probes import spectrum
from whitecap.app.lab.sources import MAX_SOURCES, STEP_DTYPE, Drive, Source, table_entries
from whitecap.app.lab.walls import Boundaries, Box, Shape
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

sys.path.insert(0, str(Path(__file__).parent))
from reference import ReferenceTank

K_SPEED = 60.0
SPEED = math.sqrt(K_SPEED)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> CaptureCache:
    return CaptureCache(tmp_path_factory.mktemp("captures"))


class Tank:
    """The scene with its medium and sources uploaded, stepped a frame at a time."""

    def __init__(
        self,
        cache: CaptureCache,
        grid: Grid,
        boundaries: Boundaries | None = None,
        walls: tuple[Shape, ...] = (),
        k_damp: float = 0.0,
    ) -> None:
        self.simulation = Simulation(find_scene("tank"), grid, cache=cache)
        self.simulation.set_values({"k_speed": K_SPEED, "k_damp": k_damp})
        self.grid = grid
        self.boundaries = boundaries or Boundaries()
        self.medium = make_medium(walls, self.boundaries, grid.shape, grid.cell)
        self.simulation.set_input("speed", self.medium.speed)
        self.simulation.set_input("damping", self.medium.damping)
        self.simulation.set_input("edges", self.boundaries.codes())
        self.drive = Drive()

    def frame(self, sources: tuple[Source, ...] = ()) -> np.ndarray:
        """One frame; the table of its sources."""
        grid = self.grid
        table, count = self.drive.frame(sources, grid.substeps, self.simulation.dt, grid.shape, grid.cell, SPEED)
        whole = np.zeros(table_entries(grid.substeps), dtype=STEP_DTYPE)
        whole[: len(table)] = table
        self.simulation.set_input("sources", whole)
        self.simulation.set_input("source_count", np.array([count], dtype=np.int32))
        self.simulation.frame()
        return table.reshape(grid.substeps, MAX_SOURCES)[:, :count]

    def set_heights(self, heights: np.ndarray, before: np.ndarray | None = None) -> None:
        self.simulation.set_input("heights", heights.astype(np.float32))
        self.simulation.set_input("heights_prev", (heights if before is None else before).astype(np.float32))

    @property
    def heights(self) -> np.ndarray:
        return self.simulation.heights().astype(np.float64)

    def reference(self, k_damp: float = 0.0) -> ReferenceTank:
        tank = ReferenceTank(self.grid.shape, self.grid.cell, self.simulation.dt, K_SPEED, k_damp)
        tank.speed, tank.damping = self.medium.speed.astype(float), self.medium.damping.astype(float)
        tank.edges = tuple(int(code) for code in self.boundaries.codes())
        return tank


WALLS = (
    Box(0.3, 0.2, 0.36, 0.7),
    Box(0.6, 0.5, 0.9, 0.9, kind="slow", speed=0.5),
    Box(0.1, 0.8, 0.3, 0.95, kind="absorbing"),
)
SOURCES = (
    Source("point", x=0.15, y=0.3, frequency=4.0, amplitude=0.1, uid=1),
    Source("line", x=0.5, y=0.1, x2=0.8, y2=0.2, frequency=3.0, amplitude=0.1, phase=40.0, uid=2),
    Source("moving", x=0.5, y=0.3, x2=0.9, y2=0.4, frequency=5.0, amplitude=0.1, signal="pulse", every=0.5, uid=3),
)


@pytest.mark.parametrize("substeps", [16, 5])
@pytest.mark.parametrize(
    "boundaries",
    [
        Boundaries(),
        Boundaries("fixed", "reflecting", "fixed", "fixed"),
        Boundaries("periodic", "periodic", "absorbing", "fixed"),
        Boundaries("periodic", "periodic", "periodic", "periodic"),
    ],
)
def test_kernels_agree_with_the_float64_reference(cache: CaptureCache, boundaries: Boundaries, substeps: int) -> None:
    tank = Tank(cache, Grid(70, 48, substeps), boundaries, WALLS, k_damp=200.0)
    reference = tank.reference(200.0)
    tank.simulation.set_values({"radius": 4.0, "magnitude": 0.2})
    for n in range(20):
        brush = None
        if 3 <= n < 6:  # a drag: each frame's segment starts where the last one ended
            here, there = (20.0 + 5 * n, 10.0 + 4 * n), (20.0 + 5 * max(n - 1, 3), 10.0 + 4 * max(n - 1, 3))
            tank.simulation.poke(*here)
            brush = (*there, *here, 4.0, 0.2)
        elif n == 6:
            tank.simulation.release()
        reference.frame(tank.frame(SOURCES), brush)
    assert np.abs(reference.h).max() > 0.05
    np.testing.assert_allclose(tank.heights, reference.h, atol=2e-5)
    np.testing.assert_allclose(tank.simulation.field("heights_prev"), reference.h0, atol=2e-5)


def test_walls_stay_dry_and_water_beside_them_does_not_leak(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(64, 64), walls=(Box(0.45, 0.0, 0.55, 1.0),))
    tank.set_heights(np.where(np.arange(64)[None, :] < 20, 0.1, 0.0) * np.ones((64, 1)))
    for _ in range(60):
        tank.frame()
    wall = tank.medium.speed == 0
    assert wall.any()
    assert not tank.heights[wall].any()
    assert np.abs(tank.heights[:, 40:]).max() == 0.0
    assert np.abs(tank.heights[:, :20]).max() > 0.01


def test_a_wall_drawn_through_a_wave_takes_its_water_and_nothing_else(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(64, 64))
    tank.set_heights(np.full((64, 64), 0.1), np.full((64, 64), 0.09))
    tank.simulation.set_input("speed", make_medium((Box(0.4, 0.4, 0.6, 0.6),), Boundaries(), (64, 64), 0.1).speed)
    for _ in range(3):
        tank.frame()
    assert not tank.heights[27:37, 27:37].any()
    assert np.isfinite(tank.heights).all()


def pulse(grid: Grid, centre: float, width: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    """A straight hump that travels to the right: heights now and a sub-step ago. centre, width: cells."""
    step = SPEED * grid.dt / grid.cell
    x = np.arange(grid.width, dtype=float)

    def hump(at: float) -> np.ndarray:
        return 0.1 * np.exp(-(((x - at) / width) ** 2)) * np.ones((grid.height, 1))

    return hump(centre), hump(centre - step)


def frames_to_cross(grid: Grid, cells: float) -> int:
    return round(cells / (SPEED / 60 / grid.cell))


@pytest.mark.parametrize(("edge", "factor"), [("reflecting", 1.0), ("fixed", -1.0)])
def test_an_edge_sends_a_hump_back_with_its_sign(cache: CaptureCache, edge: str, factor: float) -> None:
    grid = Grid(160, 16)
    tank = Tank(cache, grid, Boundaries(right=edge))  # type: ignore[arg-type]
    tank.set_heights(*pulse(grid, 100.0))
    for _ in range(frames_to_cross(grid, 2 * 59.5)):
        tank.frame()
    row = tank.heights[8]
    top = int(np.argmax(np.abs(row)))
    assert abs(top - 100) <= 2
    assert row[top] == pytest.approx(0.1 * factor, rel=0.03)


def packet(grid: Grid, centre: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """A few waves of `length` cells that travel to the right: heights now and a sub-step ago."""
    step = SPEED * grid.dt / grid.cell
    x = np.arange(grid.width, dtype=float)

    def waves(at: float) -> np.ndarray:
        shape = np.exp(-(((x - at) / (1.5 * length)) ** 2)) * np.cos(2 * math.pi * (x - at) / length)
        return 0.1 * shape * np.ones((grid.height, 1))

    return waves(centre), waves(centre - step)


@pytest.mark.parametrize("length", [8, 12, 20, 30])
def test_a_sponge_reflects_less_than_two_percent_of_waves_shorter_than_itself(cache: CaptureCache, length: int) -> None:
    grid = Grid(256, 16)
    tank = Tank(cache, grid, Boundaries(right="absorbing"))  # 38 cells wide
    tank.set_heights(*packet(grid, 100.0, length))
    for _ in range(frames_to_cross(grid, 2 * 156 - 40)):
        tank.frame()
    assert np.abs(tank.heights[8, :190]).max() < 0.02 * 0.1


def test_a_drop_between_four_sponges_spreads_as_in_open_water(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(128, 128), Boundaries(*["absorbing"] * 4))  # type: ignore[arg-type]
    large = Tank(cache, Grid(512, 512))  # echoes from its walls come too late to matter
    start = 0.2 * np.exp(-(((np.mgrid[:128, :128] - 63.5) / 4.0) ** 2).sum(axis=0))
    beginning = np.zeros((512, 512))
    beginning[192:320, 192:320] = start
    tank.set_heights(start)
    large.set_heights(beginning)
    worst = highest = 0.0
    for _ in range(120):
        tank.frame()
        large.frame()
        middle = large.heights[222:290, 222:290]
        worst = max(worst, float(np.abs(tank.heights[30:98, 30:98] - middle).max()))
        highest = max(highest, float(np.abs(middle).max()))
    assert worst < 0.04 * highest


def test_water_that_was_poured_in_leaves_through_open_edges(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(96, 96), Boundaries(*["absorbing"] * 4))  # type: ignore[arg-type]
    tank.set_heights(np.full((96, 96), 0.1))
    for _ in range(1000):
        tank.frame()
    assert np.abs(tank.heights).max() < 0.002


@pytest.mark.parametrize("thickness", [0.02, 0.2])
def test_an_absorbing_wall_lets_nothing_through_and_sends_little_back(cache: CaptureCache, thickness: float) -> None:
    grid = Grid(256, 16)
    soft = Tank(cache, grid, walls=(Box(0.7, 0.0, 0.7 + thickness, 1.0, kind="absorbing"),))
    soft.set_heights(*packet(grid, 90.0, 16))
    for _ in range(frames_to_cross(grid, 2 * (0.7 * 256 - 90))):
        soft.frame()
    assert np.abs(soft.heights[8, :150]).max() < 0.12 * 0.1
    assert np.abs(soft.heights[8, round((0.7 + thickness) * 256) + 1 :]).max() < 1e-6


def test_periodic_edges_bring_a_hump_round_to_where_it_was(cache: CaptureCache) -> None:
    grid = Grid(128, 16)
    tank = Tank(cache, grid, Boundaries("periodic", "periodic"))
    tank.set_heights(*pulse(grid, 64.0))
    start = tank.heights
    for _ in range(frames_to_cross(grid, 128)):
        tank.frame()
    row = tank.heights[8]
    assert abs(int(np.argmax(row)) - 64) <= 2
    assert row.max() == pytest.approx(start[8].max(), rel=0.03)


def test_a_standing_mode_keeps_its_analytic_frequency(cache: CaptureCache) -> None:
    grid, order = Grid(64, 64), 3
    tank = Tank(cache, grid)
    mode = 0.1 * np.cos(order * math.pi * (np.arange(64) + 0.5) / 64) * np.ones((64, 1))
    tank.set_heights(mode)
    k = order * math.pi / (64 * grid.cell)
    times, values = [], []
    for n in range(400):
        tank.frame()
        times.append((n + 1) / 60)
        values.append(tank.heights[10, 2])
    result = spectrum(np.array(times), np.array(values))
    assert result.dominant == pytest.approx(SPEED * k / (2 * math.pi), rel=0.005)


def test_a_line_source_makes_a_wave_of_its_amplitude_and_length(cache: CaptureCache) -> None:
    grid = Grid(256, 16)
    edges = Boundaries("absorbing", "absorbing")
    tank = Tank(cache, grid, edges)
    source = Source("line", x=0.5, y=0.0, x2=0.5, y2=16 / 256, frequency=3.0, amplitude=0.1, radius=0.015)
    highest = 0.0
    for n in range(200):
        tank.frame((source,))
        if n > 100:
            highest = max(highest, float(np.abs(tank.heights[8, 150:200]).max()))
    assert highest == pytest.approx(0.1, rel=0.15)
    row = tank.heights[8, 140:215]
    crossings = np.flatnonzero(np.diff(np.sign(row)) != 0)
    assert 2 * np.diff(crossings).mean() * grid.cell == pytest.approx(SPEED / 3.0, rel=0.06)


def test_sources_never_raise_the_water_for_good(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(64, 64))
    source = Source("point", frequency=2.0, amplitude=0.2, phase=0.0, signal="pulse", cycles=3.0, uid=1)
    for _ in range(200):
        tank.frame((source,))
    assert abs(tank.heights.mean()) < 1e-5


def test_double_slit_maxima_lie_where_the_ways_differ_by_whole_wavelengths(cache: CaptureCache) -> None:
    grid = Grid(256, 256)
    edges = Boundaries("absorbing", "absorbing", "absorbing", "absorbing", sponge=0.1)
    frequency, gap = 6.0, 0.16
    low, high = 0.5 - gap / 2, 0.5 + gap / 2
    half = 0.015
    slits = (
        Box(0.24, 0.0, 0.26, low - half),
        Box(0.24, low + half, 0.26, high - half),
        Box(0.24, high + half, 0.26, 1.0),
    )
    tank = Tank(cache, grid, edges, slits)
    source = Source("line", x=0.15, y=0.0, x2=0.15, y2=1.0, frequency=frequency, amplitude=0.2)
    power = np.zeros(256)
    for n in range(260):
        tank.frame((source,))
        if n >= 200:
            power += tank.heights[:, 204] ** 2
    y = (np.arange(256) + 0.5) / 256
    wavelength = SPEED / frequency / (256 * grid.cell)
    reach = (204.5 / 256) - 0.25
    difference = (np.hypot(reach, y - low) - np.hypot(reach, y - high)) / wavelength

    def power_where(order: float) -> float:
        return float(power[np.argmin(np.abs(difference - order))])

    for order in (-1.0, 0.0, 1.0):
        assert power_where(order) > 5 * power_where(order - 0.5)
        assert power_where(order) > 5 * power_where(order + 0.5)


def test_a_moving_source_is_heard_higher_ahead_and_lower_behind(cache: CaptureCache) -> None:
    grid = Grid(256, 64)
    edges = Boundaries("absorbing", "absorbing", "absorbing", "absorbing", sponge=0.1)
    tank = Tank(cache, grid, edges)
    frequency, speed = 3.0, 2.0
    source = Source("moving", x=0.25, y=0.125, x2=0.75, y2=0.125, frequency=frequency, amplitude=0.2, speed=speed)
    ahead, behind, times = [], [], []
    for n in range(round(60 * 0.5 * 256 * grid.cell / speed)):
        tank.frame((source,))
        if n > 180:
            times.append(n / 60)
            ahead.append(tank.heights[32, 215])
            behind.append(tank.heights[32, 40])
    mach = speed / SPEED
    assert spectrum(np.array(times), np.array(ahead)).dominant == pytest.approx(frequency / (1 - mach), rel=0.03)
    assert spectrum(np.array(times), np.array(behind)).dominant == pytest.approx(frequency / (1 + mach), rel=0.03)


def test_slow_water_bends_the_front_by_its_speed(cache: CaptureCache) -> None:
    grid = Grid(200, 16)
    tank = Tank(cache, grid, walls=(Box(0.5, 0.0, 1.0, 1.0, kind="slow", speed=0.5),))
    tank.set_heights(*pulse(grid, 70.0, 5.0))
    frames = frames_to_cross(grid, 30 + 80)
    for _ in range(frames):
        tank.frame()
    row = tank.heights[8]
    assert abs(int(np.argmax(row[100:])) + 100 - 140) <= 3  # 30 cells at full speed, then 40 at half of it
    assert row[100:].max() == pytest.approx(0.1 * 2 * 0.5 / 1.5, rel=0.2)  # transmission of h_tt = c² lap h


@pytest.mark.parametrize("substeps", [2, 3, 7, 16])
def test_sources_keep_their_time_at_any_substep_count(cache: CaptureCache, substeps: int) -> None:
    """Compared at the frames' ends, where all of them have the same simulated time."""
    results = []
    for count in (substeps, 16):
        tank = Tank(cache, Grid(48, 48, count, cell=0.4))
        for _ in range(30):
            tank.frame((Source("point", x=0.4, y=0.6, frequency=1.0, amplitude=0.2, radius=0.08),))
        results.append(tank.heights)
    assert np.abs(results[0] - results[1]).max() < 0.12 * np.abs(results[1]).max()


def test_edits_of_walls_edges_and_sources_capture_nothing(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(32, 32))
    generation, path = tank.simulation.generation, tank.simulation.path
    tank.simulation.set_input("edges", Boundaries("fixed").codes())
    tank.simulation.set_values({"k_speed": 10.0, "k_damp": 5.0})
    tank.frame((Source(),))
    assert (tank.simulation.generation, tank.simulation.path) == (generation, path)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (33, 31)])
def test_narrow_grids_follow_the_reference_too(cache: CaptureCache, width: int, height: int) -> None:
    edges = Boundaries("fixed", "reflecting", "periodic", "periodic")
    tank = Tank(cache, Grid(width, height, 3), edges)
    reference = tank.reference()
    start = np.random.default_rng(0).random((height, width)) * 0.1
    tank.set_heights(start)
    reference.h, reference.h0 = start, start
    for _ in range(5):
        reference.frame(tank.frame())
    np.testing.assert_allclose(tank.heights, reference.h, atol=1e-5)


def test_the_brush_leaves_one_even_ridge_however_fast_it_goes(cache: CaptureCache) -> None:
    tank = Tank(cache, Grid(128, 64, 2))
    tank.simulation.set_values({"k_speed": 0.0, "radius": 3.0, "magnitude": 0.2})
    tank.simulation.poke(20, 32)
    tank.frame()
    tank.simulation.poke(110, 32)
    tank.frame()
    assert tank.heights[32, 25:108] == pytest.approx(np.full(83, 0.2), abs=1e-6)
