"""The panels without a window: ImGui's context is fed mouse and keys, a stand-in application is asked what arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fakes import FakeHost
from imgui_bundle import imgui
from whitecap.app.foreign import FileScene, HeightField
from whitecap.app.gui import Gui
from whitecap.app.lab.keys import KEYS, Shortcuts
from whitecap.app.lab.probes import Probe
from whitecap.app.lab.sources import Source
from whitecap.app.lab.walls import Box
from whitecap.app.panels import (
    capture,
    dock,
    document,
    draw,
    overlay,
    plots,
    probes,
    question,
    simulation,
    sources,
    status,
    transport,
    view,
    widgets,
)
from whitecap.app.panels.state import state_of
from whitecap.app.scene import Grid
from whitecap.app.theme import Theme
from whitecap.app.viewport import Viewport


class Screen:
    """An application of fakes with real panels. Items are found by the rectangle that they were drawn in."""

    def __init__(self, host: FakeHost, panels: Callable[[Any], None] = draw) -> None:
        self.host = host
        self.rectangles: dict[str, tuple[float, float, float, float]] = {}
        self.gui = Gui(None, panels)
        host.gui = self.gui
        self.frames()

    def frames(self, count: int = 2) -> None:
        for _ in range(count):
            self.gui.draw(self.host, 1 / 60, None)  # type: ignore[arg-type]

    def move(self, x: float, y: float) -> None:
        self.gui.move(x, y)
        self.frames(1)

    def press(self, button: str = "left", down: bool = True) -> None:
        self.gui.button(button, down)  # type: ignore[arg-type]
        self.frames(1)

    def click(self, x: float, y: float, button: str = "left") -> None:
        self.move(x, y)
        self.press(button)
        self.press(button, False)
        self.frames(1)

    def type(self, text: str) -> None:
        self.gui.text(text)
        self.frames(1)

    def key(self, name: str, modifiers: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        self.gui.key(name, True, set(modifiers))
        self.frames(1)
        self.gui.key(name, False, set())
        self.frames(1)


@pytest.fixture
def screen() -> Iterator[Screen]:
    made = Screen(FakeHost())
    yield made
    made.gui.release()


@pytest.fixture
def sliders(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float, float, float]]:
    """Where each slider's track was drawn last: left, top, width, height by name."""
    places: dict[str, tuple[float, float, float, float]] = {}
    real = widgets._explain

    def note_place(*args: Any) -> None:
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        places[names[-1]] = (corner.x, corner.y, size.x, size.y)
        real(*args)

    names: list[str] = []
    label = widgets.label

    def note_name(text: str, help: str = "") -> None:
        names.append(text)
        label(text, help)

    monkeypatch.setattr(widgets, "_explain", note_place)
    monkeypatch.setattr(widgets, "label", note_name)
    return places


@pytest.fixture
def only_simulation(sliders: dict[str, tuple[float, float, float, float]]) -> Iterator[tuple[Screen, dict[str, Any]]]:
    """A screen with the Simulation panel alone in a window."""
    made = Screen(FakeHost(), alone(simulation.draw))
    yield made, sliders
    made.gui.release()


def alone(panel: Callable[[Any], None]) -> Callable[[Any], None]:
    """One panel in a window, unfolded and whole."""

    def panels(app: Any) -> None:
        imgui.set_next_window_pos(imgui.ImVec2(0, 0))
        imgui.set_next_window_size(imgui.ImVec2(400, 600))
        imgui.begin("alone")
        panel(app)
        imgui.end()

    return panels


@pytest.fixture
def selected_source(sliders: dict[str, tuple[float, float, float, float]]) -> Iterator[tuple[Screen, dict[str, Any]]]:
    """A screen with the Sources panel alone, and one source that is selected."""
    made = Screen(FakeHost("tank", Grid(64, 64)), alone(sources.draw))
    lab = made.host.lab
    lab.edit(lab.setup.with_source(Source(uid=1)), "Place")
    lab.history.clear()
    lab.tools.selected = ("source", 1)
    made.frames()
    yield made, sliders
    made.gui.release()


def middle(place: tuple[float, float, float, float], across: float = 0.5) -> tuple[float, float]:
    return place[0] + across * place[2], place[1] + place[3] / 2


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


def fake_capture() -> Any:
    launch = {
        "kind": "launch",
        "kernel": "wave_solve",
        "shape": [128, 128],
        "size": 16384,
        "arguments": [
            {"size": 56, "bytes": bytes(56), "regions": [1], "access": "read_write"},
            {"size": 4, "bytes": np.float32(0.25).tobytes(), "regions": [], "access": "unknown"},
        ],
    }
    branch = {"kind": "if", "branches": [[launch], [{"kind": "copy", "size": 64}]]}
    return SimpleNamespace(
        operations=[launch] * 17 + [branch],
        launch_count=18,
        device="cuda",
        target_arch=90,
        whitecap_producer="",
        producer="warp",
        bindings=[{"name": "heights", "region": 1, "size": 65536, "output": False}],
        regions=[{"id": 1, "size": 65536}, {"id": 2, "size": 5}],
        modules=[{"name": "wave", "hash": "ab" * 32, "binary_filename": "wc_wave.sm_90.cubin"}],
        alternatives=[{"module_hash": "ab" * 32, "target": "x86_64_v3", "filename": "f", "digest": ""}],
    )


def test_operations_are_listed_with_dimensions_and_arguments() -> None:
    rows = capture.operation_rows(fake_capture().operations, capture.region_names(fake_capture().bindings))
    assert rows[0][:2] == ("wave_solve", "128 x 128")
    assert rows[0][2] == "0: heights: read and write\n1: 4 bytes, 0.25"
    assert len(rows) == 20
    assert rows[18][0] == "  wave_solve"
    assert rows[19][:2] == ("  copy", "64 B")


def host_of_a_file() -> FakeHost:
    """It shows a loaded capture of 18 launches on 20 x 12 cells."""
    host = FakeHost("tank", Grid(20, 12, 1))
    host.simulation.scene = FileScene(Path("/captures/theirs.wrp"), HeightField("heights", 20, 12, True), ("heights",))
    host.simulation.graph, host.simulation.path = SimpleNamespace(capture=fake_capture()), host.simulation.scene.file
    host.lab.update()
    return host


def test_a_loaded_capture_shows_its_launches_and_offers_no_other_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_of_a_file()
    made = Screen(host, alone(simulation.draw))
    said, refusals = keep_words(monkeypatch), 0
    for y in range(20, 400, 8):
        for x in (200, 330):
            made.click(x, y)
            made.type("64")
            made.key("RETURN")
            made.frames(40)
            refusals += simulation.FIXED_HELP in said
            said.clear()
    assert refusals  # the tooltip says why
    assert (host.opened, host.errors.entries, host.lab.setup.grid) == ([], [], Grid(20, 12, 1))
    made.gui.release()


@pytest.mark.parametrize("panel", [simulation.draw, status.draw])
def test_a_loaded_capture_has_launches_where_a_scene_has_sub_steps(
    panel: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [keep_words(monkeypatch, "text_unformatted"), keep_words(monkeypatch, "calc_text_size")]
    words = {}
    for name, host in (("file", host_of_a_file()), ("scene", FakeHost())):
        Screen(host, alone(panel)).gui.release()
        words[name] = " ".join(written[0] + written[1])
        for texts in written:
            texts.clear()
    assert "18 launches a frame" in words["file"]
    assert "launches" not in words["scene"]
    assert "1 sub-step" not in words["file"]


def test_what_can_only_fail_with_a_loaded_capture_is_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    enabled: dict[str, bool] = {}
    real = widgets.button

    def button(text: str, help: str = "", width: float = 0.0, on: bool = True, lit: bool = False, **more: Any) -> bool:
        enabled[text.partition("##")[0]] = more.get("enabled", on)
        return real(text, help, width, more.get("enabled", on), lit)

    for module in (transport, capture):
        monkeypatch.setattr(module, "button", button)
    Screen(host_of_a_file(), alone(lambda app: (transport.draw(app), capture.draw(app)))).gui.release()
    assert (enabled["Sub-step"], enabled["Capture again"]) == (False, False)
    assert enabled["Step"]


def keep_words(monkeypatch: pytest.MonkeyPatch, function: str = "text_unformatted") -> list[str]:
    """What is written from now on by that function of ImGui."""
    said: list[str] = []
    write = getattr(imgui, function)
    monkeypatch.setattr(
        imgui, function, lambda *arguments, **more: (said.append(arguments[-1]), write(*arguments, **more))[1]
    )
    return said


def test_the_arguments_of_an_operation_are_shown_by_the_keyboard_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    host = FakeHost()
    host.simulation.graph = SimpleNamespace(capture=fake_capture())

    def unfolded(app: Any) -> None:
        imgui.set_next_window_focus()
        capture._operations(app, capture._rows_of(app, app.simulation.graph.capture))

    made = Screen(host, alone(unfolded))
    said = keep_words(monkeypatch)
    made.key("DOWN")  # into the list
    made.key("DOWN")
    made.key("SPACE")
    assert state_of(host).operation is not None
    said.clear()
    made.frames(1)
    assert "0: heights: read and write\n1: 4 bytes, 0.25" in said
    assert f"{state_of(host).operation + 1}: wave_solve, 128 x 128" in said
    host.simulation.graph = SimpleNamespace(capture=fake_capture())  # another capture: nothing is selected
    made.frames(1)
    assert state_of(host).operation is None
    made.gui.release()


def test_the_capture_panel_shows_the_whole_path_and_the_size_and_copies_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a folder with a long name" / ("wave" * 20 + ".wrp")
    path.parent.mkdir()
    path.write_bytes(bytes(2048))
    host = FakeHost()
    host.simulation.graph, host.simulation.path = SimpleNamespace(capture=fake_capture()), path
    made = Screen(host, alone(capture.draw))
    said = keep_words(monkeypatch)
    clicks = ["Copy path"]
    monkeypatch.setattr(capture, "button", lambda text, *_, **__: text in clicks and clicks.remove(text) is None)
    made.frames(1)
    assert {str(path), "2.0 KiB"} <= set(said)
    assert made.gui.clipboard() == str(path)
    path.unlink()
    made.frames(1)
    assert f"{path} (gone)" in said
    made.gui.release()


@pytest.mark.parametrize(
    ("size", "text"), [(5, "5 B"), (1 << 16, "64.0 KiB"), (3 << 20, "3.0 MiB"), (5 << 30, "5.0 GiB")]
)
def test_sizes_read_well(size: int, text: str) -> None:
    assert capture.readable_size(size) == text


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


def type_into(screen: Screen, place: tuple[float, float, float, float], text: str) -> None:
    """A value through the menu of the right button."""
    screen.click(*middle(place), button="right")
    screen.frames(3)
    screen.key("A", {"ctrl"})
    screen.type(text)
    screen.key("RETURN")
    screen.frames()


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


def ctrl_click_and_type(screen: Screen, place: tuple[float, float, float, float], text: str) -> None:
    """A value typed into the slider itself."""
    screen.frames(30)  # else this click may be the second of a double click
    screen.move(*middle(place, 0.5))
    screen.gui.key("LCTRL", True, {"ctrl"})
    screen.frames(1)
    screen.press()
    screen.press(down=False)
    screen.gui.key("LCTRL", False, set())
    screen.frames(1)
    assert screen.gui.typing
    screen.key("A", {"ctrl"})
    screen.type(text)
    screen.key("RETURN")
    screen.frames()


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


def test_a_panel_under_the_cursor_keeps_the_mouse_and_the_water_does_not(screen: Screen) -> None:
    screen.move(100, 300)
    assert screen.gui.wants_mouse
    screen.move(900, 400)
    assert not screen.gui.wants_mouse
    screen.move(900, 795)
    assert screen.gui.wants_mouse  # the status line


def test_a_drag_that_began_on_a_slider_stays_with_it(only_simulation: Any) -> None:
    screen, sliders = only_simulation
    screen.move(*middle(sliders["Wave speed"], 0.3))
    screen.press()
    screen.move(1200, 700)
    assert screen.gui.wants_mouse
    screen.press(down=False)
    screen.move(1201, 700)
    assert not screen.gui.wants_mouse


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


@pytest.mark.parametrize("saves", [True, False])
def test_enter_in_the_path_field_does_what_was_asked_for(tmp_path: Path, screen: Screen, saves: bool) -> None:
    path = tmp_path / "bay.toml"
    if not saves:
        screen.host.lab.library.save(path)
        screen.host.lab.library.path = None
    screen.host.lab.perform("save" if saves else "open")
    screen.frames(4)
    assert screen.gui.typing
    screen.type(str(path))
    screen.key("RETURN")
    screen.frames()
    assert path.is_file()
    assert screen.host.lab.library.path == path
    assert not screen.host.errors


def test_the_switch_for_the_waves_counts_for_the_save_key_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clicks = [True]
    monkeypatch.setattr(document, "switch", lambda *_: clicks.pop() if clicks else None)
    made = Screen(FakeHost(), alone(document.draw))
    made.host.lab.library.path = tmp_path / "bay.toml"
    made.host.lab.perform("save")
    assert (tmp_path / "bay.npz").is_file()
    made.gui.release()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A file that is no scene, at a path where one could be saved."""
    path = tmp_path / "notes.toml"
    path.write_text("groceries = 3")
    return path


@pytest.mark.parametrize("typed", ["notes.toml", "notes"])
@pytest.mark.parametrize("answer", ["Replace", "Keep", None])
def test_a_file_of_something_else_is_replaced_only_after_asking(
    answer: str | None, typed: str, notes: Path, screen: Screen
) -> None:
    state = state_of(screen.host)
    state.scene_path = str(notes.with_name(typed))
    document.save(screen.host)
    assert state.question.title == "Replace notes.toml?"
    assert str(notes) in state.question.text
    if answer is None:
        question.dismiss(screen.host)
    else:
        assert answer in state.question.answers
        state.question.answered(answer)
    assert notes.read_text().startswith("whitecap = 1") == (answer == "Replace")
    assert screen.host.lab.library.path == (notes if answer == "Replace" else None)


def test_enter_pressed_once_too_often_replaces_nothing(notes: Path, screen: Screen) -> None:
    screen.host.lab.perform("save")
    screen.frames(4)
    screen.type(str(notes))
    for _ in range(3):
        screen.key("RETURN")
        screen.frames(5)
    assert notes.read_text() == "groceries = 3"


def test_the_documents_own_file_and_a_new_one_are_saved_without_asking(tmp_path: Path, screen: Screen) -> None:
    library, state = screen.host.lab.library, state_of(screen.host)
    for name in ("bay.toml", "bay.toml", "creek.toml", "creek.toml"):
        state.scene_path = str(tmp_path / name)
        library.document = replace(library.document, title=f"{name} {len(list(tmp_path.iterdir()))}")
        document.save(screen.host)
        assert state.question is None
        assert library.document.title in (tmp_path / name).read_text()
    state.scene_path = str(tmp_path / "bay.toml")  # its own once, but not any more
    document.save(screen.host)
    assert state.question.title == "Replace bay.toml?"


def test_waves_of_something_else_beside_the_scene_are_not_replaced_without_asking(
    tmp_path: Path, screen: Screen
) -> None:
    library, state = screen.host.lab.library, state_of(screen.host)
    waves = tmp_path / "bay.npz"
    waves.write_bytes(b"measured for a week")
    library.save(tmp_path / "bay.toml", with_waves=False)
    library.with_waves = True
    screen.host.perform("save")
    assert (waves.read_bytes(), library.asks_for) == (b"measured for a week", "save")
    document.save(screen.host)
    assert state.question.title == "Replace bay.npz?"
    state.question.answered("Replace")
    assert np.load(waves)
    state.question = None
    document.save(screen.host)
    screen.host.perform("save")
    assert state.question is None


def test_after_a_preset_was_opened_the_save_field_proposes_no_path(tmp_path: Path, monkeypatch: Any) -> None:
    shown: list[str] = []
    field = document.path_field
    monkeypatch.setattr(
        document, "path_field", lambda name, path, hint: (shown.append(path), field(name, path, hint))[1]
    )
    made = Screen(FakeHost(), alone(document.draw))
    state, library = state_of(made.host), made.host.lab.library
    state.scene_path = str(tmp_path / "bay.toml")
    document.save(made.host)
    made.frames()
    assert shown[-1] == str(tmp_path / "bay.toml")
    library.open_preset(1)
    made.frames()
    assert shown[-1] == ""
    library.load(tmp_path / "bay.toml")
    made.frames()
    assert shown[-1] == str(tmp_path / "bay.toml")
    made.gui.release()


@pytest.mark.parametrize("typed", ["mine.wrp", "mine"])
def test_a_capture_is_replaced_only_after_asking(typed: str, tmp_path: Path, screen: Screen) -> None:
    saved: list[Path] = []
    screen.host.save_capture = saved.append  # type: ignore[attr-defined]
    capture.save_capture(screen.host, str(tmp_path / typed))
    assert len(saved) == 1
    (tmp_path / "mine.wrp").write_text("theirs")
    capture.save_capture(screen.host, str(tmp_path / typed))
    assert len(saved) == 1
    state_of(screen.host).question.answered("Replace")
    assert len(saved) == 2


def test_an_export_replaces_its_own_file_again_and_no_other_without_asking(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks: list[str] = []
    monkeypatch.setattr(probes, "button", lambda text, *_, **__: text in clicks and clicks.remove(text) is None)
    made = Screen(FakeHost(), alone(probes.draw))
    state = state_of(made.host)

    def export(path: Path) -> None:
        state.csv_path, state.question = str(path), None
        clicks.append("Export CSV")
        made.frames(1)

    export(notes)
    assert notes.read_text() == "groceries = 3"
    assert state.question.title == "Replace notes.toml?"
    for _ in range(2):
        export(notes.with_name("probes.csv"))
        assert notes.with_name("probes.csv").is_file()
        assert state.question is None
    made.gui.release()


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
