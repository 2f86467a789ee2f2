"""The panels without a window: ImGui's context is fed mouse and keys, a stand-in application is asked what arrived."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fakes import FakeHost
from imgui_bundle import imgui
from screens import Screen, fake_capture, keep_words
from whitecap.app.lab.keys import KEYS
from whitecap.app.lab.probes import Probe
from whitecap.app.lab.sources import Source
from whitecap.app.lab.walls import Box
from whitecap.app.panels import (
    dock,
    overlay,
    plots,
    question,
    simulation,
    status,
    view,
    widgets,
)
from whitecap.app.panels.state import state_of
from whitecap.app.scene import Grid
from whitecap.app.theme import Theme
from whitecap.app.viewport import Viewport


def test_every_panel_draws_with_everything_unfolded(monkeypatch: pytest.MonkeyPatch, screen: Screen) -> None:
    unfolded = tuple((title, panel, True) for title, panel, _ in dock.SECTIONS)
    monkeypatch.setattr(dock, "SECTIONS", unfolded)
    made = Screen(FakeHost("tank", Grid(64, 64)))
    host, lab = made.host, made.host.lab
    lab.edit(
        lab.setup.with_source(Source("moving", uid=1)).with_probe(Probe(uid=2)).with_(walls=(Box(0, 0, 1, 1),)), "all"
    )
    for tool in ("wall", "erase", "source", "probe", "poke"):
        lab.tools.take(tool)
        for kind in ("reflecting", "slow"):
            lab.tools.wall_kind = kind  # type: ignore[assignment]
            made.frames()
    for selected in (("source", 1), ("probe", 2), None):
        lab.tools.selected = selected
        made.frames()
    for mode in ("water", "data"):
        host.look.mode, host.look.auto_range, host.look.contours = mode, False, True
        made.frames()
    for _ in range(80):
        lab.before_frame()
        host.simulation.heights()[:] = np.sin(host.simulation.seconds)
        host.simulation.frame()
        lab.after_frame(host.simulation.heights())
    made.frames()
    host.simulation.graph = SimpleNamespace(capture=fake_capture())
    made.gui.help_visible = True
    host.settings.hint_seen = False
    made.frames()
    assert [message.text for message in host.errors.entries] == []
    made.gui.release()


def test_a_panel_under_the_cursor_keeps_the_mouse_and_the_water_does_not(screen: Screen) -> None:
    screen.move(100, 300)
    assert screen.gui.wants_mouse
    screen.move(900, 400)
    assert not screen.gui.wants_mouse
    screen.move(900, 795)
    assert screen.gui.wants_mouse  # the status line


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("size", [(1280, 800), (640, 480), (200, 150), (3840, 2160)])
def test_panels_draw_at_any_scale_and_leave_water_free(scale: float, size: tuple[int, int], screen: Screen) -> None:
    screen.host.settings.ui_scale = scale
    screen.host.viewport = Viewport(*size, 2.0)
    screen.frames(3)
    assert screen.host.errors.entries == []
    assert dock.LARGEST_SHARE < 0.5


def test_hidden_panels_take_no_mouse(screen: Screen) -> None:
    screen.gui.panels_visible = False
    screen.frames()
    screen.move(100, 300)
    assert not screen.gui.wants_mouse


def test_the_error_dialog_shows_until_it_is_closed(screen: Screen) -> None:
    for _ in range(3):
        screen.host.show_error("the disk is full")
    screen.frames()
    assert len(screen.host.errors.entries) == 1
    assert screen.host.errors.entries[0].count == 3
    screen.host.errors.clear()
    screen.frames()


def test_a_panel_that_fails_goes_to_the_dialog_and_the_rest_is_drawn(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(app: Any) -> None:
        imgui.begin_child("half open")
        imgui.push_style_color(imgui.Col_.text.value, imgui.ImVec4(1, 0, 0, 1))
        raise RuntimeError("out of luck")

    monkeypatch.setattr(dock, "SECTIONS", (("Broken", broken, True), ("Simulation", simulation.draw, True)))
    screen.frames(5)
    assert [m.text for m in screen.host.errors.entries] == ["panel Broken: out of luck"]
    assert screen.host.errors.entries[0].count == 5


@pytest.mark.parametrize("seed", range(4))
def test_random_clicks_drags_and_keys_never_break_a_panel(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, screen: Screen
) -> None:
    monkeypatch.chdir(tmp_path)  # whatever is saved goes there
    monkeypatch.setattr(dock, "SECTIONS", tuple((title, panel, True) for title, panel, _ in dock.SECTIONS))
    screen.gui.release()
    random = np.random.default_rng(seed)
    made = Screen(FakeHost("tank", Grid(64, 64)))
    host = made.host
    keys = [action for action in KEYS if action.key]
    for _ in range(150):
        made.move(float(random.uniform(0, 330)), float(random.uniform(0, 800)))
        deed = random.integers(5)
        if deed == 0:
            made.gui.scroll(0.0, float(random.integers(-8, 9)))
        elif deed == 1:
            action = keys[random.integers(len(keys))]
            if not made.gui.typing:
                host.perform(action.id)
            made.key(action.key, set(action.modifiers))
        elif deed == 2:
            made.type("".join(random.choice(list("0123456789.-eaz/"), 4)))
        button = "right" if random.random() < 0.15 else "left"
        made.press(button)
        if random.random() < 0.4:
            made.move(float(random.uniform(0, 330)), float(random.uniform(0, 800)))
        made.press(button, False)
        host.lab.update()
        host.lab.before_frame()
        host.simulation.frame()
        host.lab.after_frame(host.simulation.heights())
    assert [m.text for m in host.errors.entries if m.text.startswith("panel ")] == []
    assert host.simulation.grid == host.lab.setup.grid
    while host.lab.undo():
        pass
    made.frames()
    made.gui.release()


def test_a_question_is_answered_once(screen: Screen) -> None:
    answers: list[str] = []
    question.ask(screen.host, question.Question("Which?", "One of two.", ("heights", "pressure"), answers.append))
    screen.frames(3)
    window = imgui.internal.find_window_by_name("Which?###question")
    screen.click(window.pos.x + window.size.x / 2, window.pos.y + 75)
    assert answers in (["heights"], ["pressure"])
    assert state_of(screen.host).question is None


def test_the_runaway_banner_goes_back_with_one_click(screen: Screen) -> None:
    host = screen.host
    host.lab.after_frame(host.simulation.heights())
    host.simulation.heights()[:] = np.nan
    host.lab.after_frame(host.simulation.heights())
    screen.frames(3)
    window = imgui.internal.find_window_by_name("rescue")
    assert window is not None
    assert window.active
    screen.click(window.pos.x + 40, window.pos.y + window.size.y - 24)
    assert host.performed == ["restore"]
    assert not host.simulation.paused


def test_the_hint_is_gone_for_good_after_a_click(screen: Screen) -> None:
    screen.host.settings.hint_seen = False
    screen.frames(3)
    window = imgui.internal.find_window_by_name("hint")
    screen.click(window.pos.x + 30, window.pos.y + window.size.y - 20)
    assert screen.host.settings.hint_seen


def test_the_hint_goes_once_it_was_followed(screen: Screen) -> None:
    screen.host.settings.hint_seen = False
    screen.frames(round(60 * overlay.HINT_SECONDS) + 5)
    assert not screen.host.settings.hint_seen
    screen.host.pointer.touched = True
    screen.frames(round(60 * overlay.HINT_SECONDS) + 5)
    assert screen.host.settings.hint_seen


def test_the_status_line_says_what_was_saved_and_that_a_film_is_made(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    dim, coloured = imgui.text_disabled, imgui.text_colored
    monkeypatch.setattr(imgui, "text_disabled", lambda text: (said.append(text), dim(text)))
    monkeypatch.setattr(imgui, "text_colored", lambda colour, text: (said.append(text), coloured(colour, text)))
    screen.host.message, screen.host.simulation.paused = "picture: a.png", True
    screen.host.recording = SimpleNamespace(frames=7)
    screen.frames(1)
    assert {"Picture: a.png", "Paused", "Recording: 7 pictures; F9 ends it"} <= set(said)


@pytest.fixture
def headers(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float]]:
    """Where each section of the dock begins; all of them are unfolded."""
    places: dict[str, tuple[float, float]] = {}
    header = imgui.collapsing_header

    def noted(title: str, flags: int) -> bool:
        unfolded = header(title, flags)
        corner = imgui.get_item_rect_min()
        places[title] = (corner.x, corner.y)
        return bool(unfolded)

    monkeypatch.setattr(imgui, "collapsing_header", noted)
    monkeypatch.setattr(dock, "SECTIONS", tuple((title, panel, True) for title, panel, _ in dock.SECTIONS))
    return places


@pytest.mark.parametrize(
    "message",
    [
        "refused: a wave speed of 250 is unstable at 2 sub-steps: " + 30 * "more ",
        "raised sub-steps from 2 to 9",
        "saved",
    ],
)
def test_a_message_moves_nothing_in_the_dock(
    message: str, headers: dict[str, tuple[float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost()
    made = Screen(host)
    before = dict(headers)
    said = [keep_words(monkeypatch, name) for name in ("text_disabled", "text_colored")]
    host.lab.message = message
    made.frames()
    assert message[:1].upper() + message[1:] in said[0] + said[1]
    assert dict(headers) == before
    assert len(before) == len(dock.SECTIONS)
    made.gui.release()


def test_what_comes_and_goes_by_itself_moves_nothing_in_the_dock(headers: dict[str, tuple[float, float]]) -> None:
    host = FakeHost()
    host.lab.policy = "allow"
    made = Screen(host)
    before = dict(headers)
    host.lab.set_grid(substeps=1)
    assert not host.lab.scheme.stable
    host.stage.renderer.degraded = ["caustics", "reflection", "refraction", "sky", "sun"]
    made.frames()
    assert dict(headers) == before
    made.gui.release()


def test_the_status_line_says_less_where_there_is_less_room(screen: Screen) -> None:
    seen: list[tuple[str, ...]] = []

    def panels(app: Any) -> None:
        width = imgui.calc_text_size("layers: all of them").x
        rows = (("layers: all of them", "rate"), ("layers", "rate"), ("", "rate"))
        seen.extend(status.fitting(rows, room * width) for room in (2.0, 0.9, 0.3, 0.0))

    made = Screen(FakeHost(), panels)
    assert seen[:4] == [("layers: all of them", "rate"), ("layers", "rate"), ("", "rate"), ("", "")]
    made.gui.release()


@pytest.mark.parametrize("width", [1000, 300, 200, 90])
def test_buttons_of_a_row_show_all_of_their_words(width: int) -> None:
    found: list[float] = []

    def panels(app: Any) -> None:
        imgui.set_next_window_size(imgui.ImVec2(width, 300))
        imgui.begin("alone")
        found.append(widgets.Row(("Pause", "Step", "Sub-step", "Still")).next() - imgui.calc_text_size("Sub-step").x)
        imgui.end()

    Screen(FakeHost(), panels).gui.release()
    assert found[0] >= 0


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0.0, 0.0011, [0.0, 0.0005, 0.001]), (-1.1, 1.1, [-1.0, 0.0, 1.0]), (0.0, 88.0, [0.0, 50.0])],
)
def test_ticks_are_few_and_round(low: float, high: float, ticks: list[float]) -> None:
    assert plots.round_ticks(low, high) == pytest.approx(ticks)


def test_marks_lie_where_the_camera_shows_their_place(screen: Screen) -> None:
    host = screen.host
    spot = overlay._on_screen(host, 10.0, 90.0)
    origin, direction = host.camera.ray(spot.x, spot.y, host.viewport.size)
    distance = -origin[1] / direction[1]
    x = (origin[0] + distance * direction[0]) / 0.1 + 63.5
    y = (origin[2] + distance * direction[2]) / 0.1 + 63.5
    assert (x, y) == pytest.approx((10.0, 90.0), abs=0.01)


@pytest.mark.parametrize(
    ("value", "low", "high", "log", "place"),
    [
        (5, 0, 10, False, 0.5),
        (-1, 0, 10, False, 0),
        (99, 0, 10, False, 1),
        (1, 0.1, 10, True, 0.5),
        (0.1, 0.1, 10, True, 0),
    ],
)
def test_the_red_part_begins_at_the_limit(value: float, low: float, high: float, log: bool, place: float) -> None:
    assert widgets.track_place(value, low, high, log) == pytest.approx(place)


@pytest.mark.parametrize(
    ("value", "whole", "text"),
    [(60.0, False, "60"), (0.123456, False, "0.1235"), (12345.6, False, "12346"), (7.2, True, "7")],
)
def test_numbers_read_well(value: float, whole: bool, text: str) -> None:
    assert widgets.number_format(value, whole) == text


@pytest.mark.parametrize("mode", ["water", "data"])
def test_the_view_panel_offers_what_the_view_can_show(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The grid's lines and the tables belong to the data view; the tables are written as their authors do."""
    switches: list[str] = []
    words: list[str] = []
    monkeypatch.setattr(view, "switch", lambda name, on, help="": switches.append(name))
    monkeypatch.setattr(view, "choice", lambda *args, words=(): shown(words))

    def shown(names: Any) -> None:
        words.extend(names)

    host = FakeHost()
    host.look.mode = mode
    Screen(host, view.draw).gui.release()
    assert ("Wireframe" in switches) == ("RdBu" in words) == (mode == "data")
    assert ("Caustics" in switches) == (mode == "water")


@pytest.mark.parametrize(("samples", "after"), [(4, 0), (0, 4), (1, 4), (16, 0)])
def test_the_multisampling_switch_turns_it_off_and_on(
    samples: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks = ["Multisampling"]
    monkeypatch.setattr(
        view, "switch", lambda name, on, help="": not on if name in clicks and clicks.remove(name) is None else None
    )
    host = FakeHost()
    host.look.samples = samples
    Screen(host, view.draw).gui.release()
    assert (host.look.samples, host.errors.entries) == (after, [])


def test_the_style_does_not_drift_however_often_its_scale_changes() -> None:
    def sizes(style: imgui.Style) -> dict[str, object]:
        values = {name: getattr(style, name) for name in dir(style) if not name.startswith(("__", "set_", "color"))}
        return {name: str(value) for name, value in values.items() if isinstance(value, (float, imgui.ImVec2))}

    fresh, often = imgui.Style(), imgui.Style()
    Theme(fresh).set_scale(1.0)
    theme = Theme(often)
    for scale in (2.0, 0.5, 3.0, 1.5, 1.0):
        theme.set_scale(scale)
    assert sizes(often) == sizes(fresh)
