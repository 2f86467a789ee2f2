"""The stability bound, checked against roots of the amplification polynomial and against simulated waves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from whitecap.app.lab.stability import RunawayDetector, Scheme, energy, limit_of, settle

DEFAULT = Scheme(k_speed=60.0, k_damp=1000.0, frame=1 / 60, substeps=16, cell=0.1)


def scheme_of(courant_squared: float, mu: float) -> Scheme:
    """A scheme with unit step and cell, so that k_speed is lambda and k_damp is mu."""
    return Scheme(k_speed=courant_squared, k_damp=mu, frame=1.0, substeps=1, cell=1.0)


def largest_root(courant_squared: float, mu: float) -> float:
    """The largest |z| over every Fourier mode of the plane, from the polynomial's companion matrix."""
    angles = np.linspace(0.0, math.pi, 65)
    s = 4 * np.sin(angles[:, None] / 2) ** 2 + 4 * np.sin(angles[None, :] / 2) ** 2
    middle = 2 - mu - courant_squared * s
    companion = np.zeros((*s.shape, 2, 2))
    companion[..., 0, 0] = middle
    companion[..., 0, 1] = -(1 - mu)
    companion[..., 1, 0] = 1
    return float(np.abs(np.linalg.eigvals(companion)).max())


def simulate(scheme: Scheme, steps: int, size: int = 32, seed: int = 1) -> tuple[np.ndarray, list[float]]:
    """Random water on a reflecting grid in float64: the last heights and the energy after every sub-step."""
    h0 = np.random.default_rng(seed).standard_normal((size, size))
    h = h0.copy()
    energies = []
    for _ in range(steps):
        padded = np.pad(h, 1, mode="edge")
        lap = padded[1:-1, 2:] + padded[1:-1, :-2] + padded[2:, 1:-1] + padded[:-2, 1:-1] - 4 * h
        new = 2 * h - h0 + scheme.courant_squared * lap - scheme.damping * (h - h0)
        h0, h = h, new
        energies.append(energy(h, h0, scheme))
    return h, energies


def test_default_uses_a_hundredth_of_the_bound() -> None:
    assert pytest.approx(0.0065, rel=0.01) == DEFAULT.courant_squared
    assert DEFAULT.stable
    assert not replace(DEFAULT, substeps=1).stable


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.7, 1.0, 1.5, 1.9])
@pytest.mark.parametrize("factor", [0.2, 0.9, 0.999, 1.001, 1.1, 3.0])
def test_bound_agrees_with_the_roots(mu: float, factor: float) -> None:
    courant_squared = factor * (2 - mu) / 4
    stable = scheme_of(courant_squared, mu).stable
    assert stable == (largest_root(courant_squared, mu) <= 1 + 1e-7)
    assert stable == (factor <= 1)


@pytest.mark.parametrize("mu", [-0.01, 2.01, 5.0])
def test_damping_outside_its_range_is_unstable_at_any_speed(mu: float) -> None:
    assert not scheme_of(0.0, mu).stable
    assert not scheme_of(1e-6, mu).stable
    assert largest_root(1e-6, mu) > 1


@pytest.mark.parametrize("values", [(math.nan, 0.0), (0.1, math.nan), (math.inf, 0.0), (-0.1, 0.0)])
def test_numbers_that_are_not_sensible_are_unstable(values: tuple[float, float]) -> None:
    assert not scheme_of(*values).stable


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.2])
def test_waves_stay_bounded_below_the_bound_and_grow_above_it(mu: float) -> None:
    limit = (2 - mu) / 4
    below, _ = simulate(scheme_of(limit * 0.98, mu), 600)
    above, _ = simulate(scheme_of(limit * 1.1, mu), 200)
    assert np.abs(below).max() < 100
    assert np.abs(above).max() > 1e4


@pytest.mark.parametrize(("part", "mu"), [(0.2, 0.0), (0.9, 0.0), (0.99, 0.4), (0.5, 1.5), (0.9, 1.9)])
def test_energy_never_grows_and_is_positive(part: float, mu: float) -> None:
    _, energies = simulate(scheme_of(part * (2 - mu) / 4, mu), 300)
    assert min(energies) >= -1e-12
    growth = np.diff(energies) / max(energies)
    assert growth.max() < 1e-12
    if mu == 0:
        assert energies[-1] == pytest.approx(energies[0], rel=1e-10)


def test_energy_of_a_standing_mode_is_the_analytic_one() -> None:
    size, amplitude = 256, 0.01
    scheme = Scheme(k_speed=60.0, k_damp=0.0, frame=1 / 60, substeps=16, cell=0.1)
    k = math.pi / (size * scheme.cell)
    x = (np.arange(size) + 0.5) * scheme.cell
    mode = np.broadcast_to(amplitude * np.cos(k * x), (size, size))
    expected = 0.25 * scheme.k_speed * (amplitude * k) ** 2 * (size * scheme.cell) ** 2
    assert energy(mode, mode, scheme) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1), (300, 200), (2, 40000)])
def test_energy_is_the_same_however_it_is_cut_into_pieces(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    h, h0, wet = random.random(shape), random.random(shape), random.random(shape) < 0.8
    motion = ((h - h0) ** 2)[wet].sum()
    stretch = 0.0
    for axis in (0, 1):
        pair = np.diff(h, axis=axis) * np.diff(h0, axis=axis)
        both = wet[1:] & wet[:-1] if axis == 0 else wet[:, 1:] & wet[:, :-1]
        stretch += pair[both].sum()
    kinetic = (1 - DEFAULT.damping / 2) * motion / DEFAULT.dt**2
    expected = 0.5 * DEFAULT.cell**2 * (kinetic + DEFAULT.k_speed / DEFAULT.cell**2 * stretch)
    assert energy(h, h0, DEFAULT, wet) == pytest.approx(expected, rel=1e-12)


def test_energy_ignores_what_a_wall_hides() -> None:
    h = np.zeros((8, 8))
    h[3, 3] = 5.0
    open_cells = np.ones((8, 8), dtype=bool)
    open_cells[3, 3] = False
    assert energy(h, h, DEFAULT, open_cells) == 0.0


def test_a_sponge_counts_towards_the_damping() -> None:
    with_sponge = replace(DEFAULT, rate=50.0)
    assert with_sponge.damping == pytest.approx(DEFAULT.damping + 50.0 * DEFAULT.dt)
    assert with_sponge.speed_limit() < DEFAULT.speed_limit()


@pytest.mark.parametrize("rate", [0.0, 40.0])
@pytest.mark.parametrize("substeps", [2, 5, 16])
def test_each_limit_lies_on_the_bound(rate: float, substeps: int) -> None:
    scheme = replace(DEFAULT, rate=rate, substeps=substeps, k_speed=20.0)
    for name, limit in (("k_speed", scheme.speed_limit()), ("k_damp", scheme.damping_limit())):
        assert replace(scheme, **{name: limit * 0.9999}).stable
        assert not replace(scheme, **{name: limit * 1.0001}).stable
    assert replace(scheme, frame=scheme.frame_limit() * 0.9999).stable
    assert not replace(scheme, frame=scheme.frame_limit() * 1.0001).stable
    assert limit_of(scheme, "time_scale", 2.0) == pytest.approx(2 * scheme.frame_limit() * 60)
    assert limit_of(scheme, "radius") is None


@pytest.mark.parametrize("k_speed", [0.0, 1.0, 60.0, 333.0, 2000.0])
@pytest.mark.parametrize("rate", [0.0, 100.0])
def test_smallest_substeps_is_stable_and_one_fewer_is_not(k_speed: float, rate: float) -> None:
    scheme = replace(DEFAULT, k_speed=k_speed, rate=rate)
    fewest = scheme.smallest_substeps()
    assert fewest is not None
    assert replace(scheme, substeps=fewest).stable
    assert fewest == 1 or not replace(scheme, substeps=fewest - 1).stable


def test_smallest_substeps_gives_up_above_the_highest() -> None:
    assert replace(DEFAULT, k_speed=1e6).smallest_substeps(64) is None


def test_refuse_keeps_the_current_setting_and_says_what_it_needs() -> None:
    wish = replace(DEFAULT, substeps=1)
    verdict = settle(wish, DEFAULT, "refuse")
    assert verdict.scheme == DEFAULT
    assert f"needs {wish.smallest_substeps()} sub-steps" in verdict.message


def test_raise_uses_the_fewest_stable_substeps() -> None:
    verdict = settle(replace(DEFAULT, substeps=1), DEFAULT, "raise")
    assert verdict.scheme.substeps == DEFAULT.smallest_substeps()
    assert verdict.scheme.stable
    assert "raised sub-steps from 1" in verdict.message


def test_raise_refuses_what_no_substep_count_rescues() -> None:
    verdict = settle(replace(DEFAULT, k_speed=1e9), DEFAULT, "raise")
    assert verdict.scheme == DEFAULT
    assert verdict.message.startswith("refused")


@pytest.mark.parametrize("policy", ["refuse", "raise"])
def test_a_stable_wish_passes_without_a_word(policy: str) -> None:
    wish = replace(DEFAULT, k_speed=100.0)
    assert settle(wish, DEFAULT, policy) == (verdict := settle(wish, DEFAULT, policy))
    assert verdict.scheme == wish
    assert verdict.message == ""


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_detector_sees_one_bad_cell(bad: float) -> None:
    heights = np.zeros((64, 64), dtype=np.float32)
    heights[13, 40] = bad
    assert "no longer numbers" in RunawayDetector().check(heights)


def test_detector_sees_a_runaway_long_before_the_numbers_end() -> None:
    unstable = replace(DEFAULT, substeps=1)
    detector, frames = RunawayDetector(), 0
    h0 = np.random.default_rng(3).standard_normal((32, 32)) * 0.01
    h = h0.copy()
    while not detector.check(h):
        padded = np.pad(h, 1, mode="edge")
        lap = padded[1:-1, 2:] + padded[1:-1, :-2] + padded[2:, 1:-1] + padded[:-2, 1:-1] - 4 * h
        h0, h = h, 2 * h - h0 + unstable.courant_squared * lap - unstable.damping * (h - h0)
        frames += 1
        assert frames < 20
    assert np.abs(h).max() < 1e4


def test_detector_accepts_lively_water_and_a_first_poke() -> None:
    detector = RunawayDetector()
    assert detector.check(np.zeros((8, 8))) == ""
    for peak in (0.5, 8.0, 3.0, 9.9, 0.0):
        assert detector.check(np.full((8, 8), peak)) == ""


def test_detector_reset_forgets() -> None:
    detector = RunawayDetector()
    detector.check(np.full((2, 2), 90.0))
    detector.reset()
    assert detector.check(np.zeros((2, 2))) == ""
