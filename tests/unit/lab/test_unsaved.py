"""What was drawn and never saved, when another scene takes its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import FakeHost, FakeSimulation
from whitecap.app.lab import document as documents
from whitecap.app.lab.document import Document, to_text
from whitecap.app.lab.probes import Probe
from whitecap.app.lab.setup import Setup
from whitecap.app.lab.sources import Source
from whitecap.app.lab.unsaved import unsaved_path
from whitecap.app.lab.walls import Box
from whitecap.app.scene import Grid

WALL, OTHER = Box(0.2, 0.2, 0.4, 0.4), Box(0.5, 0.5, 0.6, 0.6)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def tank() -> FakeHost:
    return FakeHost("tank", Grid(64, 64))


def draw(host: FakeHost, *walls: Box) -> None:
    assert host.lab.edit(host.lab.setup.with_(walls=walls), "Wall")


def open_preset(host: FakeHost) -> None:
    assert host.lab.open_preset(1)


def open_file(host: FakeHost) -> None:
    path = unsaved_path().parent.with_name("bay.toml")
    documents.save(path, Document(setup=Setup("tank")))
    assert host.lab.load(path)


def paste(host: FakeHost) -> None:
    assert host.lab.library.open_text(to_text(Document(setup=Setup("tank"))))


def open_capture(host: FakeHost) -> None:
    """Another simulation is in place without having been wished, as when a capture is loaded."""
    host.simulation = FakeSimulation("wave", Grid(20, 12))
    host.lab.update()


OPENING = [open_preset, open_file, paste, open_capture]


@pytest.mark.parametrize("opens", OPENING)
def test_what_was_drawn_and_not_saved_can_be_opened_again(tank: FakeHost, opens: Callable[[FakeHost], None]) -> None:
    draw(tank, WALL)
    drawn = tank.lab.setup.with_source(Source(x=0.25, x2=0.25, uid=1)).with_probe(Probe(0.5, 0.75, 2))
    tank.lab.edit(drawn, "Source and probe")
    tank.lab.set_parameter("k_speed", 70.0)
    wanted = tank.lab.setup
    opens(tank)
    assert str(unsaved_path()) in tank.lab.message
    assert tank.lab.setup.walls != (WALL,)
    assert tank.lab.load(unsaved_path())
    assert tank.lab.setup == wanted
    assert not tank.errors


@pytest.mark.parametrize("opens", OPENING)
def test_nothing_is_kept_where_nothing_would_be_lost(
    tank: FakeHost, opens: Callable[[FakeHost], None], tmp_path: Path
) -> None:
    opens(tank)  # nothing was drawn
    tank.lab.open_preset(3)
    tank.lab.set_parameter("k_damp", 50.0)
    tank.lab.set_grid(width=96, height=24)  # shorter: sources come to its near edge
    opens(tank)  # nothing was drawn on the preset
    paste(tank)
    draw(tank, WALL)
    tank.lab.undo()
    opens(tank)  # it was taken back
    paste(tank)
    draw(tank, WALL)
    assert tank.lab.library.save(tmp_path / "mine")
    opens(tank)  # it was saved
    assert not unsaved_path().exists()
    assert "not saved" not in tank.lab.message


def test_what_was_drawn_after_saving_is_kept(tank: FakeHost, tmp_path: Path) -> None:
    draw(tank, WALL)
    tank.lab.library.save(tmp_path / "mine")
    draw(tank, WALL, OTHER)
    open_preset(tank)
    assert documents.load(unsaved_path()).setup.walls == (WALL, OTHER)
    assert documents.load(tmp_path / "mine.toml").setup.walls == (WALL,)


def test_the_newest_is_kept(tank: FakeHost) -> None:
    for wall in (WALL, OTHER):
        paste(tank)
        draw(tank, wall)
    open_preset(tank)
    assert documents.load(unsaved_path()).setup.walls == (OTHER,)
    assert [file.name for file in unsaved_path().parent.iterdir()] == ["unsaved.toml"]


def test_what_is_opened_from_there_stays_unsaved(tank: FakeHost) -> None:
    draw(tank, WALL)
    open_preset(tank)
    draw(tank, OTHER)
    assert tank.lab.load(unsaved_path())  # in the file's place there is the other wall now
    assert tank.lab.setup.walls == (WALL,)
    assert tank.lab.library.path is None
    assert documents.load(unsaved_path()).setup.walls == (OTHER,)
    open_preset(tank)
    assert documents.load(unsaved_path()).setup.walls == (WALL,)


def test_a_folder_that_cannot_be_written_to_keeps_nobody_from_opening(
    tank: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path / "file"))
    draw(tank, WALL)
    open_preset(tank)
    assert tank.lab.library.preset_index == 1
    assert "not saved is lost: cannot write" in tank.lab.message
    assert not tank.errors


def test_an_unstable_scene_says_that_beside_where_the_drawing_is(tank: FakeHost) -> None:
    draw(tank, WALL)
    setup = Setup("tank", Grid(64, 64, 1), parameters={"k_speed": 250.0})
    tank.lab.library.open(Document(setup=setup))
    assert str(unsaved_path()) in tank.lab.message
    assert "unstable" in tank.lab.message
