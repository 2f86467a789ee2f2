"""Probes: traces, spectra and CSV."""

from __future__ import annotations

import csv
import io
import math
from types import SimpleNamespace

import numpy as np
import pytest
from whitecap.app.lab.measure import Measurements
from whitecap.app.lab.probes import Probe, Trace, sample, spectrum, to_csv
from whitecap.app.lab.stability import Scheme


def test_a_trace_reads_oldest_first_before_and_after_it_is_full() -> None:
    trace = Trace(4)
    for n in range(3):
        trace.add(float(n), 10.0 * n)
    assert [list(part) for part in trace.samples()] == [[0, 1, 2], [0, 10, 20]]
    for n in range(3, 10):
        trace.add(float(n), 10.0 * n)
    assert [list(part) for part in trace.samples()] == [[6, 7, 8, 9], [60, 70, 80, 90]]
    assert len(trace) == 4
    assert trace.last == 90.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("worst", [np.nan, np.inf, 3e38])
def test_waves_that_ran_away_leave_no_mark_on_the_energy_and_warn_nobody(worst: float) -> None:
    fields = {name: np.full((4, 5), worst, np.float32) for name in ("heights", "heights_prev")}
    fields["heights"][1, 2] = -worst
    simulation = SimpleNamespace(scene=SimpleNamespace(fields=tuple(fields)), seconds=1.0, field=fields.__getitem__)
    measurements = Measurements()
    measurements.add(simulation, (), Scheme(45.0, 0.0, 1 / 60, 16, 0.1), None, None)
    assert all(np.isfinite(measurements.energy.samples()[1]))


def test_an_empty_trace_says_so() -> None:
    trace = Trace(4)
    assert len(trace) == 0
    assert math.isnan(trace.last)
    assert trace.samples()[0].size == 0


def test_time_that_steps_back_starts_the_trace_anew() -> None:
    trace = Trace(8)
    trace.add(5.0, 1.0)
    trace.add(0.1, 2.0)
    assert list(trace.samples()[1]) == [2.0]


def test_a_trace_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        Trace(1)


@pytest.mark.parametrize("frequency", [1.2103, 2.0, 3.337, 7.9])
@pytest.mark.parametrize("phase", [0.0, 1.0, 2.5])
def test_the_dominant_frequency_lies_between_the_bins(frequency: float, phase: float) -> None:
    times = np.arange(300) / 60
    values = 0.3 * np.sin(2 * math.pi * frequency * times + phase) + 0.7 + 0.05 * times
    result = spectrum(times, values)
    assert result.dominant == pytest.approx(frequency, rel=0.004)  # a bin is 0.2 Hz wide
    assert result.amplitudes.max() == pytest.approx(0.3, rel=0.05)


def test_the_stronger_of_two_tones_is_reported() -> None:
    times = np.arange(600) / 60
    values = 0.1 * np.sin(2 * math.pi * 2 * times) + 0.3 * np.sin(2 * math.pi * 5 * times)
    assert spectrum(times, values).dominant == pytest.approx(5.0, rel=0.01)


def test_uneven_times_do_not_bend_the_frequency() -> None:
    times = np.concatenate([np.arange(200) / 60, 200 / 60 + np.arange(400) / 120])
    values = np.sin(2 * math.pi * 3 * times)
    assert spectrum(times, values).dominant == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize(
    "values", [np.zeros(200), np.full(200, 3.0), np.linspace(0, 1, 200), np.full(200, np.nan), np.full(200, np.inf)]
)
def test_still_water_and_broken_numbers_have_no_frequency(values: np.ndarray) -> None:
    assert spectrum(np.arange(200) / 60, values).dominant == 0.0


@pytest.mark.parametrize("count", [0, 1, 7])
def test_too_few_samples_have_no_spectrum(count: int) -> None:
    assert spectrum(np.arange(count) / 60, np.ones(count)).frequencies.size == 0


def test_a_probe_reads_a_plane_exactly_between_the_cells() -> None:
    y, x = np.mgrid[:20, :40]
    heights = (0.5 * x - 0.25 * y).astype(np.float32)
    probe = Probe(0.43, 0.21)
    assert sample(heights, probe) == pytest.approx(0.5 * (0.43 * 40 - 0.5) - 0.25 * (0.21 * 40 - 0.5), abs=1e-5)


@pytest.mark.parametrize(("x", "y", "cell"), [(0.0, 0.0, (0, 0)), (1.0, 0.5, (19, 39)), (-3.0, 9.0, (19, 0))])
def test_a_probe_beyond_the_rim_reads_the_rim(x: float, y: float, cell: tuple[int, int]) -> None:
    heights = np.random.default_rng(0).random((20, 40)).astype(np.float32)
    assert sample(heights, Probe(x, y)) == pytest.approx(float(heights[cell]))


def test_csv_reads_back_with_gaps_where_a_trace_has_no_sample() -> None:
    first, second = Trace(8), Trace(8)
    first.add(0.0, 1.5)
    first.add(0.5, -2.25)
    second.add(0.5, 7.0)
    rows = list(csv.reader(io.StringIO(to_csv([("probe_1", first), ('odd, "name"', second)]))))
    assert rows == [["time_s", "probe_1", 'odd, "name"'], ["0", "1.5", ""], ["0.5", "-2.25", "7"]]


def test_csv_of_nothing_is_a_header() -> None:
    assert to_csv([("a", Trace(4))]) == "time_s,a\n"
