"""Esc closes one thing at a time, the innermost first: real panels on the null renderer, without a window."""

import pytest

imgui = pytest.importorskip("imgui_bundle").imgui

from whitecap.app.application import Application  # noqa: E402
from whitecap.app.gui import Gui  # noqa: E402
from whitecap.app.lab.keys import KEYS, find_action, sections  # noqa: E402
from whitecap.app.panels.question import Question, ask  # noqa: E402
from whitecap.app.panels.state import state_of  # noqa: E402
from whitecap.app.scene import Grid  # noqa: E402
from whitecap.app.scenes import find_scene  # noqa: E402
from whitecap.app.simulation import Simulation  # noqa: E402
from whitecap.app.stage import Stage  # noqa: E402
from whitecap.app.viewport import Viewport  # noqa: E402

GRID = Grid(64, 48)


@pytest.fixture
def application():
    simulation = Simulation(find_scene("wave"), GRID)
    made = Application(simulation, Stage(None, GRID), gui=Gui(None), viewport=Viewport(1000, 1200))
    made.settings.hint_seen = True
    made.simulation.paused = True
    frames(made)
    yield made
    made.close()


def frames(application, count=3):
    for _ in range(count):
        application.fixed_frame()


def escape(application):
    application.key_press("ESCAPE", set())
    application.key_release("ESCAPE")
    frames(application)


def open_the_grid_list(application, monkeypatch):
    """A click on the drop-down list of grid sizes."""
    places, combo = [], imgui.combo

    def noting(label, *arguments, **options):
        result = combo(label, *arguments, **options)
        if label == "##grid":
            corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
            places.append((corner.x + size.x / 2, corner.y + size.y / 2))
        return result

    monkeypatch.setattr(imgui, "combo", noting)
    frames(application)
    application.gui.move(*places[-1])
    frames(application)
    for down in (True, False):
        application.gui.button("left", down)
        frames(application)


def a_list_is_open():
    return len(imgui.get_current_context().open_popup_stack) > 0


def test_escape_closes_an_open_list_and_nothing_else(application, monkeypatch):
    application.perform("tool_wall")
    open_the_grid_list(application, monkeypatch)
    assert a_list_is_open()
    escape(application)
    assert not a_list_is_open()
    assert application.running
    assert application.lab.tools.tool == "wall"
    assert application.simulation.grid == GRID


def test_a_list_whose_panel_was_hidden_keeps_nothing_from_closing(application, monkeypatch):
    open_the_grid_list(application, monkeypatch)
    assert a_list_is_open()
    application.perform("toggle_panels")
    frames(application)
    escape(application)
    assert not application.running


def test_escape_closes_a_question_without_an_answer(application):
    answers = []
    ask(application, Question("Which?", "One of two.", ("heights", "pressure"), answers.append))
    frames(application)
    escape(application)
    assert state_of(application).question is None
    assert answers == []
    assert application.running


def test_escape_closes_the_innermost_first_and_quits_at_last(application, monkeypatch):
    application.perform("tool_wall")
    application.perform("use_panels")
    application.perform("help")
    application.show_error("something")
    ask(application, Question("Which?", "One of two.", ("heights", "pressure"), print))
    imgui_list_open = [True]
    monkeypatch.setattr(application.gui, "close_popup", lambda: bool(imgui_list_open and imgui_list_open.pop()))

    def left():
        return [
            bool(imgui_list_open),
            state_of(application).question is not None,
            bool(application.errors),
            application.gui.help_visible,
            application.gui.navigating,
            application.lab.tools.tool == "wall",
            application.running,
        ]

    for closed in range(8):
        assert left() == [False] * closed + [True] * (7 - closed)
        escape(application)


def test_the_key_into_the_panels_is_one_of_the_key_table(application):
    action = find_action("use_panels")
    assert application.key_press(action.key, set(action.modifiers), typing=True) == "use_panels"
    assert application.gui.navigating
    assert [chord for chord, _ in sections()["Window"]].count(action.chord) == 1
    escape(application)
    assert not application.gui.navigating
    assert application.running


def test_another_key_into_the_panels_in_the_table_is_the_one_that_imgui_takes(monkeypatch):
    from dataclasses import replace

    from whitecap.app.lab import keys

    table = tuple(replace(a, key="F6", modifiers=frozenset({"alt"})) if a.id == "use_panels" else a for a in KEYS)
    monkeypatch.setattr(keys.find_action, "__defaults__", (table,))
    gui = Gui(None)
    try:
        taken = imgui.get_current_context().config_nav_windowing_key_next
        assert taken == int(imgui.Key.f6) | int(imgui.Key.mod_alt)
    finally:
        gui.release()


@pytest.mark.parametrize(("keys", "answer"), [(["enter"], "Keep"), (["down_arrow", "enter"], "Replace")])
def test_a_question_has_the_keyboard_and_begins_with_its_first_answer(application, keys, answer):
    given = []
    ask(application, Question("Replace it?", "It is there already.", ("Keep", "Replace"), given.append))
    frames(application)
    assert application.gui.navigating  # Space and Enter are no shortcuts now
    for key in keys:
        for down in (True, False):
            imgui.get_io().add_key_event(getattr(imgui.Key, key), down)
            frames(application)
    assert given == [answer]
    assert state_of(application).question is None
    assert not application.gui.navigating
