"""Colour tables and colour bars: published end points, lightness that means something, round numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whitecap.app.view.colorbar import RangeFollower, round_step, ticks
from whitecap.app.view.colormaps import DEFAULT_COLORMAP, DIVERGING, lut, names
from whitecap.app.view.statistics import Statistics


def lightness(table: np.ndarray) -> np.ndarray:
    """CIE L* of sRGB colours."""
    c = table / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    y = linear @ np.array([0.2126, 0.7152, 0.0722])
    return np.where(y > 0.008856, 116 * np.cbrt(y) - 16, 903.3 * y)


def test_the_tables_that_people_expect_are_there() -> None:
    assert {"cividis", "viridis", "RdBu", "grey"} <= set(names())
    assert names()[0] == DEFAULT_COLORMAP


@pytest.mark.parametrize("name", names())
def test_tables_have_256_screen_colours_and_cannot_be_changed(name: str) -> None:
    table = lut(name)
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


@pytest.mark.parametrize("name", [name for name in names() if name not in DIVERGING])
def test_sequential_tables_only_get_lighter(name: str) -> None:
    assert (np.diff(lightness(lut(name))) > -0.4).all()
    assert lightness(lut(name))[-1] - lightness(lut(name))[0] > 60


@pytest.mark.parametrize("name", DIVERGING)
def test_diverging_tables_are_lightest_and_neutral_at_zero(name: str) -> None:
    light = lightness(lut(name))
    assert light.argmax() in range(120, 137)
    assert (np.diff(light[:124]) > -0.6).all()
    assert (np.diff(light[132:]) < 0.6).all()
    middle = lut(name)[127:129].astype(int)
    assert np.ptp(middle, axis=1).max() < 16
    assert abs(light[0] - light[-1]) < 12


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("viridis", "440154", "fde725"),
        ("cividis", "00224e", "fee838"),
        ("RdBu", "67001f", "053061"),
        ("vik", "001261", "590008"),
        ("grey", "000000", "ffffff"),
    ],
)
def test_end_colours_are_the_published_ones(name: str, first: str, last: str) -> None:
    assert bytes(lut(name)[0]).hex() == first
    assert bytes(lut(name)[-1]).hex() == last


def test_an_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        lut("jet")


@given(st.floats(1e-5, 1e5), st.integers(3, 20))
def test_steps_are_round_and_fit(span: float, pieces: int) -> None:
    step = round_step(span, pieces)
    mantissa = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - wanted) for wanted in (1, 2, 5)) < 1e-6
    assert span / step <= pieces * 1.01
    assert span / step > pieces / 2.6


@given(st.floats(1e-4, 1e4))
def test_ticks_are_symmetric_hold_zero_and_lie_in_the_range(reach: float) -> None:
    marks = ticks(-reach, reach)
    values = [value for value, _ in marks]
    assert 3 <= len(values) <= 9
    assert 0 in values
    assert values == [-value for value in reversed(values)]
    assert all(abs(value) <= reach * (1 + 1e-6) for value in values)
    assert all(float(text) == pytest.approx(value, abs=1e-9) for value, text in marks)


def test_tick_texts_have_no_needless_digits() -> None:
    assert [text for _, text in ticks(-0.3, 0.3)] == ["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"]
    assert [text for _, text in ticks(-100, 100)] == ["-100", "-50", "0", "50", "100"]


def test_the_automatic_range_grows_at_once_and_shrinks_slowly() -> None:
    follower = RangeFollower()
    wide = follower.follow(Statistics(-2.0, 1.0, 1.0))
    assert wide == pytest.approx(2.1)
    after_one = follower.follow(Statistics(-0.1, 0.1, 0.05))
    assert 0.9 * wide < after_one < wide
    for _ in range(400):
        follower.follow(Statistics(-0.1, 0.1, 0.05))
    assert follower.value == pytest.approx(0.105, rel=0.05)


def test_a_lone_peak_may_leave_the_range_but_never_by_much() -> None:
    follower = RangeFollower()
    reach = follower.follow(Statistics(-0.1, 3.0, 0.02))
    assert reach == pytest.approx(0.4 * 3.0)


def test_broken_heights_leave_the_range_as_it_is() -> None:
    follower = RangeFollower()
    before = follower.follow(Statistics(-0.5, 0.5, 0.2))
    assert follower.follow(Statistics(-math.inf, math.inf, math.inf)) == before


def test_still_water_has_a_range() -> None:
    follower = RangeFollower()
    for _ in range(2000):
        follower.follow(Statistics(0.0, 0.0, 0.0))
    assert follower.value >= 1e-3
