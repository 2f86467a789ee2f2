"""The keys for contour lines (C) and the wireframe (X), which only the data view shows."""

import pytest
from whitecap.app.application import Application
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage

LINES = {"C": "contours", "X": "wireframe"}


@pytest.fixture
def application():
    grid = Grid(16, 16)
    made = Application(Simulation(find_scene("wave"), grid), Stage(None, grid))
    yield made
    made.close()


def after(application, keys, **look):
    """The view after these keys: its mode and the lines it shows."""
    for name, value in look.items():
        setattr(application.look, name, value)
    for key in keys:
        application.key_press(key, set())
    return application.look.mode, {key for key, name in LINES.items() if getattr(application.look, name)}


@pytest.mark.parametrize(("key", "words"), [("C", "contour lines"), ("X", "wireframe")])
def test_in_the_water_the_key_shows_its_lines_in_the_data_view_and_says_the_way_back(application, key, words):
    assert after(application, key) == ("data", {key})
    assert words in application.message
    assert "D shows the water" in application.message
    assert after(application, "D")[0] == "water"


@pytest.mark.parametrize("keys", ["CC", "XX", "CXXC", "CXCX", "CCXX"])
def test_the_same_keys_again_lead_back_to_the_water(application, keys):
    assert after(application, keys) == ("water", set())
    assert application.message == ""


def test_the_water_comes_back_only_when_all_lines_asked_for_are_off(application):
    assert after(application, "CXC") == ("data", {"X"})


def test_lines_that_were_on_before_keep_nobody_in_the_data_view(application):
    assert after(application, "X", contours=True) == ("data", {"C", "X"})
    assert after(application, "X") == ("water", {"C"})


@pytest.mark.parametrize("key", LINES)
def test_lines_that_were_on_all_the_time_are_shown_and_not_switched_off(application, key):
    assert after(application, key, **{LINES[key]: True}) == ("data", {key})


def test_in_the_data_view_the_keys_stay_there(application):
    assert after(application, "CC", mode="data") == ("data", set())


def test_a_person_who_chose_something_else_meanwhile_stays(application):
    after(application, "C")
    assert after(application, "XX", contours=False) == ("data", set())
