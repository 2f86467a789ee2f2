"""Sources: the volume they add, their phases, and the table that the kernels read."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from whitecap.app.lab.sources import MAX_SOURCES, MIN_REACH, STEP_DTYPE, Drive, Source, table_entries

GRID = {"shape": (100, 200), "cell": 0.1, "wave_speed": 8.0}


def run(drive: Drive, sources: tuple[Source, ...], frames: int, substeps: int = 4) -> np.ndarray:
    """The tables of some frames, shape (frames * substeps, sources)."""
    tables = []
    for _ in range(frames):
        table, count = drive.frame(sources, substeps, 1 / 60 / substeps, **GRID)
        tables.append(table.reshape(substeps, MAX_SOURCES)[:, :count])
    return np.concatenate(tables)


def test_the_table_has_the_layout_that_the_kernels_read() -> None:
    assert STEP_DTYPE.itemsize == 24
    table, count = Drive().frame((Source(uid=1),), 16, 1e-3, **GRID)
    assert table.shape == (16 * MAX_SOURCES,)
    assert count == 1
    assert not table.reshape(16, MAX_SOURCES)[:, 1:]["push"].any()


@pytest.mark.parametrize("substeps", [1, 16, 64])
def test_the_device_table_has_one_size_for_usual_counts(substeps: int) -> None:
    assert table_entries(substeps) == 64 * MAX_SOURCES
    assert table_entries(100) == 100 * MAX_SOURCES


def test_places_are_in_cells_from_the_centre_of_the_first() -> None:
    steps = run(Drive(), (Source("line", x=0.5, y=0.25, x2=1.0, y2=0.5, radius=0.03),), 1)
    assert steps["x0"][0, 0] == pytest.approx(99.5)
    assert steps["y0"][0, 0] == pytest.approx(49.5)
    assert steps["x1"][0, 0] == pytest.approx(199.5)
    assert steps["y1"][0, 0] == pytest.approx(99.5)
    assert steps["radius"][0, 0] == pytest.approx(6.0)


def test_a_source_is_never_narrower_than_the_grid_can_show() -> None:
    assert run(Drive(), (Source(radius=0.0),), 1)["radius"][0, 0] == pytest.approx(MIN_REACH)


def test_the_pushes_add_up_to_the_signal_itself() -> None:
    source = Source(frequency=2.0, phase=30.0)
    added = np.cumsum(run(Drive(), (source,), 120)["push"][:, 0].astype(float))
    times = (np.arange(len(added)) + 1) / 240
    late = times > 1.0
    shape = np.sin(2 * math.pi * (2.0 * times + 30 / 360))
    gain = np.abs(added[late]).max()
    np.testing.assert_allclose(added[late] / gain, shape[late], atol=2e-3)


def test_a_continuous_source_begins_without_a_jump() -> None:
    pushes = run(Drive(), (Source(phase=90.0),), 30)["push"][:, 0]
    assert abs(pushes[0]) < 0.05 * np.abs(pushes).max()


def test_a_pulse_leaves_exactly_nothing_behind() -> None:
    pushes = run(Drive(), (Source(signal="pulse", cycles=2.0, frequency=4.0, phase=45.0),), 60)["push"][:, 0]
    assert abs(pushes.astype(float).sum()) < 1e-6
    assert not pushes[31 * 4 :].any()
    assert np.abs(pushes[: 30 * 4]).max() > 0


def test_a_repeating_pulse_comes_again_on_time() -> None:
    source = Source(signal="pulse", cycles=1.0, frequency=4.0, every=1.0)
    pushes = run(Drive(), (source,), 180)["push"][:, 0]
    seconds = np.flatnonzero(pushes) / 240
    starts = seconds[np.flatnonzero(np.diff(seconds, prepend=-1.0) > 0.3)]
    assert starts == pytest.approx([0.0, 1.0, 2.0], abs=0.02)


def test_another_frequency_makes_no_jump() -> None:
    drive, source = Drive(), Source(frequency=3.0, uid=1)
    before = run(drive, (source,), 60)["push"][:, 0]
    after = run(drive, (replace(source, frequency=3.3),), 2)["push"][:, 0]
    steady = np.abs(np.diff(before)).max()
    assert abs(after[0] - before[-1]) < 3 * steady + 0.2 * np.abs(before).max()


def test_phases_apart_by_half_a_turn_cancel() -> None:
    pair = (Source(uid=1), Source(phase=180.0, uid=2))
    steps = run(Drive(), pair, 20)
    np.testing.assert_allclose(steps["push"][:, 0], -steps["push"][:, 1], atol=1e-6)


def test_moving_a_source_keeps_its_phase() -> None:
    still, moved = Drive(), Drive()
    one = run(still, (Source(uid=7),), 20)["push"][:, 0]
    first = run(moved, (Source(uid=7),), 10)["push"][:, 0]
    second = run(moved, (Source(x=0.9, y=0.1, uid=7),), 10)["push"][:, 0]
    np.testing.assert_allclose(np.concatenate([first, second]), one, atol=1e-7)


def test_a_moving_source_goes_to_and_fro() -> None:
    source = Source("moving", x=0.2, y=0.2, x2=0.4, y2=0.2, speed=4.0)  # 4 u there: one second
    steps = run(Drive(), (source,), 150)
    x = steps["x0"][:, 0]
    assert x[119 * 2] == pytest.approx(0.2 * 200 - 0.5 + 20 * (119 * 2 + 1) / 120, abs=0.3)
    assert x[239] == pytest.approx(0.4 * 200 - 0.5, abs=0.3)
    assert x[479] == pytest.approx(0.2 * 200 - 0.5, abs=0.3)
    assert x.max() <= 79.6
    assert (steps["x0"] == steps["x1"]).all()


def test_a_moving_source_with_no_way_stays() -> None:
    steps = run(Drive(), (Source("moving", x=0.3, y=0.2, x2=0.3, y2=0.2),), 10)
    assert (steps["x0"] == steps["x0"][0]).all()


def test_rain_falls_at_its_rate_inside_its_rectangle_and_the_same_every_time() -> None:
    source = Source("rain", x=0.1, y=0.1, x2=0.6, y2=0.4, frequency=8.0)
    steps = run(Drive(), (source,), 60 * 30)
    drops = steps["push"][:, 0] != 0
    assert drops.sum() == pytest.approx(240, rel=0.2)
    assert abs(steps["push"][:, 0].sum()) <= 1.5 * source.amplitude  # dents and bumps: the level stays
    assert steps["x0"][drops, 0].min() >= 19
    assert steps["x0"][drops, 0].max() <= 120
    assert steps["y0"][drops, 0].std() > 5
    assert (run(Drive(), (source,), 60 * 30) == steps).all()


def test_disabled_sources_do_nothing_and_the_rest_close_up() -> None:
    sources = (Source(enabled=False, x=0.1, uid=1), Source(x=0.7, uid=2))
    table, count = Drive().frame(sources, 4, 1e-3, **GRID)
    assert count == 1
    assert table["x0"][0] == pytest.approx(139.5)


def test_no_more_sources_act_than_the_table_holds() -> None:
    _, count = Drive().frame(tuple(Source(uid=n) for n in range(40)), 2, 1e-3, **GRID)
    assert count == MAX_SOURCES


def test_reset_and_fire_start_again() -> None:
    drive, source = Drive(), Source(signal="pulse", cycles=1.0, frequency=4.0, uid=3)
    first = run(drive, (source,), 20)["push"]
    assert not run(drive, (source,), 20)["push"].any()
    drive.fire(3)
    assert (run(drive, (source,), 20)["push"] == first).all()
    drive.reset()
    assert (run(drive, (source,), 20)["push"] == first).all()


def test_a_removed_source_starts_afresh_when_it_comes_back() -> None:
    drive, source = Drive(), Source(signal="pulse", cycles=1.0, frequency=4.0, uid=3)
    first = run(drive, (source,), 20)["push"]
    run(drive, (), 1)
    assert (run(drive, (source,), 20)["push"] == first).all()


@pytest.mark.parametrize("frequency", [0.0, 1e-6, 1e4])
@pytest.mark.parametrize("wave_speed", [0.0, 1e-9, 20.0])
def test_extreme_settings_give_finite_pushes(frequency: float, wave_speed: float) -> None:
    grid = {**GRID, "wave_speed": wave_speed}
    for kind in ("point", "line", "moving", "rain"):
        table, _ = Drive().frame((Source(kind, frequency=frequency),), 8, 1e-3, **grid)
        assert np.isfinite(table["push"]).all()
