"""The look: what goes into a file comes back, and everything else is refused in one line."""

from __future__ import annotations

from dataclasses import fields

import pytest
from whitecap.app.view.look import LIMITS, Look


def test_a_changed_look_comes_back_from_plain_values() -> None:
    look = Look(mode="data", caustics=False, sun_elevation=12.5, colormap="cividis", samples=2, contours=True)
    assert Look.from_dict(look.to_dict()) == look


def test_the_values_are_plain() -> None:
    assert all(type(value) in (str, bool, int, float) for value in Look().to_dict().values())


def test_fields_left_out_keep_their_defaults() -> None:
    assert Look.from_dict({}) == Look()
    assert Look.from_dict({"sky": False}) == Look(sky=False)


def test_whole_numbers_may_stand_for_numbers() -> None:
    look = Look.from_dict({"sun_elevation": 30})
    assert look == Look(sun_elevation=30.0)
    assert type(look.sun_elevation) is float


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sparkle": True}, "look.sparkle is unknown: allowed here are"),
        ({"mode": "fire"}, "water, data"),
        ({"colormap": "jet"}, "viridis"),
        ({"colormap": 3}, "give a name"),
        ({"sky": 1}, "give true or false"),
        ({"sky": "yes"}, "give true or false"),
        ({"samples": 2.0}, "give a whole number"),
        ({"samples": True}, "give a whole number"),
        ({"samples": -1}, "from 0 to 16"),
        ({"samples": 1000}, "from 0 to 16"),
        ({"sun_elevation": "high"}, "give a number"),
        ({"sun_elevation": 0.0}, "from 5 to 90"),
        ({"sun_elevation": float("nan")}, "from 5 to 90"),
        ({"exaggeration": float("inf")}, "from 0 to 20"),
        ({"value_range": 0.0}, "from 1e-06"),
        ({"absorption": -0.1}, "from 0 to 4"),
        ({"depth": None}, "give a number"),
        ({"contour_interval": [1]}, "give a number"),
    ],
)
def test_other_values_are_refused_in_one_line(values: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=r"^look\.\w+ is ") as caught:
        Look.from_dict(values)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_limits_name_fields_and_hold_the_defaults() -> None:
    defaults = {field.name: field.default for field in fields(Look)}
    for name, (low, high) in LIMITS.items():
        assert low <= defaults[name] <= high
