"""Files in the panels: what a capture holds, loaded captures, saving, and asking before something is replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fakes import FakeHost
from imgui_bundle import imgui
from screens import Screen, alone, fake_capture, host_of_a_file, keep_words
from whitecap.app.panels import (
    capture,
    document,
    probes,
    question,
    simulation,
    status,
    transport,
    widgets,
)
from whitecap.app.panels.state import state_of
from whitecap.app.scene import Grid


def test_operations_are_listed_with_dimensions_and_arguments() -> None:
    rows = capture.operation_rows(fake_capture().operations, capture.region_names(fake_capture().bindings))
    assert rows[0][:2] == ("wave_solve", "128 x 128")
    assert rows[0][2] == "0: heights: read and write\n1: 4 bytes, 0.25"
    assert len(rows) == 20
    assert rows[18][0] == "  wave_solve"
    assert rows[19][:2] == ("  copy", "64 B")


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
