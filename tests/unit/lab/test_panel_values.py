"""Values in the panels: sliders dragged, double-clicked and typed into, and the edits that come of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes import FakeHost
from imgui_bundle import imgui
from screens import Screen, alone, ctrl_click_and_type, middle, type_into
from whitecap.app.lab.keys import KEYS, Shortcuts
from whitecap.app.lab.sources import Source
from whitecap.app.panels import (
    simulation,
    sources,
)
from whitecap.app.scene import Grid


def test_dragging_a_slider_issues_edits_and_the_release_seals_them(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    place = sliders["Wave speed"]
    screen.move(*middle(place, 0.2))
    screen.press()
    for across in (0.3, 0.4, 0.5):
        screen.move(*middle(place, across))
    screen.press(down=False)
    value = screen.host.simulation.values["k_speed"]
    assert value == pytest.approx(200, rel=0.05)
    assert len(screen.host.lab.history) == 1
    screen.host.lab.undo()
    assert screen.host.simulation.values["k_speed"] == 60.0
    assert screen.host.opened == []


def test_two_drags_are_two_edits(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    for across in (0.3, 0.6):
        screen.move(*middle(sliders["Damping"], across))
        screen.press()
        screen.press(down=False)
    assert len(screen.host.lab.history) == 2


def test_a_double_click_sets_the_default(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.host.lab.set_parameter("k_speed", 200.0)
    screen.host.lab.seal()
    screen.frames()
    screen.move(*middle(sliders["Wave speed"], 0.7))
    for _ in range(2):
        screen.press()
        screen.press(down=False)
    assert screen.host.simulation.values["k_speed"] == 60.0


def test_a_double_click_that_is_held_for_some_frames_sets_the_default_too(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.move(*middle(sliders["Wave speed"], 0.7))
    for _ in range(2):
        screen.press()
        screen.frames(4)
        screen.press(down=False)
    assert screen.host.simulation.values["k_speed"] == 60.0


def test_every_drag_of_a_source_is_an_edit_of_its_own_and_all_of_it_is_one(selected_source: Any) -> None:
    screen, sliders = selected_source
    lab = screen.host.lab
    for name in ("Amplitude", "Amplitude", "Frequency"):
        screen.move(*middle(sliders[name], 0.3))
        screen.press()
        for across in (0.4, 0.5, 0.6):
            screen.move(*middle(sliders[name], across))
        screen.press(down=False)
        screen.frames(30)  # else the next press is a double click
    assert len(lab.history) == 2  # the second drag ended where it began
    assert lab.history.undo_label == "Source frequency"
    lab.undo()
    assert lab.setup.sources[0].frequency == Source().frequency
    assert lab.setup.sources[0].amplitude != Source().amplitude


def test_a_value_typed_for_a_source_is_undone_apart_from_the_drag_after_it(selected_source: Any) -> None:
    screen, sliders = selected_source
    lab = screen.host.lab
    type_into(screen, sliders["Frequency"], "2")
    screen.move(*middle(sliders["Frequency"], 0.9))
    screen.press()
    screen.press(down=False)
    assert lab.setup.sources[0].frequency > 5.0
    lab.undo()
    assert lab.setup.sources[0].frequency == 2.0
    lab.undo()
    assert lab.setup.sources[0].frequency == Source().frequency


def test_a_choice_for_a_source_is_undone_alone(selected_source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, _ = selected_source
    lab = screen.host.lab
    picked = {"Kind": ["line", "rain"], "Signal": ["pulse"]}
    pick = lambda name, *_: picked[name].pop(0) if picked[name] else None  # noqa: E731
    with monkeypatch.context() as patch:
        patch.setattr(sources, "choice", pick)
        screen.frames(4)
    assert [lab.setup.sources[0].kind, len(lab.history)] == ["rain", 2]
    lab.undo()
    assert (lab.setup.sources[0].kind, lab.setup.sources[0].signal) == ("line", "pulse")


def test_ctrl_click_types_a_value(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    ctrl_click_and_type(screen, sliders["Wave speed"], "123.5")
    assert screen.host.simulation.values["k_speed"] == pytest.approx(123.5)
    assert not screen.gui.typing


@pytest.mark.parametrize("enter", [ctrl_click_and_type, type_into])
@pytest.mark.parametrize("text", ["nan", "-nan", "inf", "-inf", "1e999", "nan()"])
def test_what_is_no_finite_number_is_not_taken(text: str, enter: Any, only_simulation: Any) -> None:
    screen, sliders = only_simulation
    lab = screen.host.lab
    before = lab.setup
    for name in ("Wave speed", "Time scale", "Sub-steps"):
        enter(screen, sliders[name], text)
        assert (name, lab.setup) == (name, before)
    assert len(lab.history) == 0


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_source_takes_no_number_that_is_not_finite(text: str, selected_source: Any) -> None:
    screen, sliders = selected_source
    before = screen.host.lab.setup
    for name in ("Frequency", "Amplitude", "Phase", "Radius"):
        ctrl_click_and_type(screen, sliders[name], text)
    assert screen.host.lab.setup == before


@pytest.mark.parametrize(("text", "value"), [("1e9", 4.0), ("-3", 0.1)])
def test_a_typed_value_is_held_to_the_range(text: str, value: float, only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.host.lab.policy = "allow"
    ctrl_click_and_type(screen, sliders["Time scale"], text)
    assert screen.host.lab.setup.time_scale == pytest.approx(value)


def test_the_right_buttons_menu_types_a_value(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.click(*middle(sliders["Damping"]), button="right")
    screen.frames(3)
    assert screen.gui.typing
    screen.key("A", {"ctrl"})
    screen.type("432")
    screen.key("RETURN")
    assert screen.host.simulation.values["k_damp"] == 432.0


def test_an_unstable_value_is_refused_under_the_cursor(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.host.lab.set_grid(substeps=2)
    screen.frames()
    before = screen.host.simulation.values["k_speed"]
    screen.click(*middle(sliders["Wave speed"], 0.9))
    assert screen.host.simulation.values["k_speed"] == before
    assert "refused" in screen.host.lab.message


def test_the_substep_slider_captures_anew(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.click(*middle(sliders["Sub-steps"], 0.5))
    assert screen.host.opened
    assert screen.host.simulation.grid.substeps == pytest.approx(33, abs=2)


@pytest.fixture
def type_side(only_simulation: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], tuple[Grid, str]]:
    """Types into the field of a side and presses Enter; (the grid then, what was said)."""
    screen, _ = only_simulation
    places: dict[str, tuple[float, float, float, float]] = {}
    field = simulation.number_field

    def noted(name: str, value: float) -> float | None:
        typed = field(name, value)
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        places[name.removeprefix("##")] = (corner.x, corner.y, size.x, size.y)
        return typed

    monkeypatch.setattr(simulation, "number_field", noted)

    def type_one(name: str, text: str) -> tuple[Grid, str]:
        screen.frames()
        screen.click(*middle(places[name]))
        screen.key("A", {"ctrl"})
        screen.type(text)
        screen.key("RETURN")
        screen.frames(20)
        return screen.host.simulation.grid, screen.host.lab.message

    return type_one


def test_both_sides_of_the_grid_can_be_typed_and_the_height_follows_the_width(
    type_side: Any, only_simulation: Any
) -> None:
    assert type_side("Height", "64")[0].shape == (64, 128)
    assert type_side("Width", "300")[0].shape == (150, 300)
    assert type_side("Height", "2048")[0].shape == (2048, 300)
    assert type_side("Width", "64")[0].shape == (437, 64)
    assert type_side("Width", "2048")[0].shape == (2048, 2048)  # the height that would follow is too large
    lab = only_simulation[0].host.lab
    assert len(lab.history) == 5
    lab.undo()
    assert lab.setup.grid.shape == (437, 64)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_side_takes_no_number_that_is_not_finite(text: str, type_side: Any) -> None:
    for name in ("Width", "Height"):
        assert type_side(name, text) == (Grid(), "")


@pytest.mark.parametrize("name", ["Width", "Height"])
@pytest.mark.parametrize("text", ["63", "2049", "0", "-200", "1e30"])
def test_a_side_out_of_range_is_refused_with_a_line(name: str, text: str, type_side: Any, only_simulation: Any) -> None:
    grid, said = type_side(name, text)
    assert grid == Grid()
    assert said.startswith(f"refused: the grid's {name.lower()} ")
    assert "64 to 2048" in said
    assert only_simulation[0].host.opened == []


def test_a_large_grid_from_elsewhere_keeps_its_other_side(type_side: Any, only_simulation: Any) -> None:
    only_simulation[0].host.lab.set_grid(width=4096, height=32)
    assert type_side("Height", "100")[0].shape == (100, 4096)


def test_the_list_of_grids_reaches_from_64_to_2048(monkeypatch: pytest.MonkeyPatch) -> None:
    lists: list[list[str]] = []
    combo = imgui.combo
    monkeypatch.setattr(imgui, "combo", lambda name, here, names: (lists.append(names), combo(name, here, names))[1])
    Screen(FakeHost(grid=Grid(192, 96)), alone(simulation.draw)).gui.release()
    assert lists[-1] == ["64 x 64", "128 x 64", "192 x 96", "256 x 128", "512 x 256", "1024 x 512", "2048 x 1024"]


def test_the_limits_of_the_grid_are_in_the_tooltip() -> None:
    assert "64 to 2048 cells" in simulation.SIDES_HELP


def test_shortcuts_are_silent_while_a_value_is_typed(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.click(*middle(sliders["Damping"]), button="right")
    screen.frames(3)
    shortcuts = Shortcuts()
    typing = screen.gui.typing
    assert typing
    fired = [shortcuts.press(a.key, a.modifiers, typing) for a in KEYS if a.key and not a.always]
    fired += [shortcuts.text(a.text, typing) for a in KEYS if a.text]
    assert set(fired) == {None}


def test_a_drag_that_began_on_a_slider_stays_with_it(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.move(*middle(sliders["Wave speed"], 0.3))
    screen.press()
    screen.move(1200, 700)
    assert screen.gui.wants_mouse
    screen.press(down=False)
    screen.move(1201, 700)
    assert not screen.gui.wants_mouse
