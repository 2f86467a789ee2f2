"""What the window leaves in files: its place and last scene, screenshots and films."""

from pathlib import Path

import pytest
from hands import a_session, settle_size

pytestmark = [pytest.mark.window, pytest.mark.gl]


def test_the_window_comes_back_where_it_was(open_window):
    from whitecap.app.settings import Settings

    hand = open_window("--size", "700x500")
    hand.session.remember()
    assert (Settings.load().window_width, Settings.load().window_height) == (700, 500)


def test_the_last_preset_comes_back_until_it_is_left(display):
    with a_session("--fresh", "--size", "500x400") as first:
        assert first.application.lab.open_preset(3)
        first.turn(1 / 60)
        first.remember()
    with a_session("--size", "500x400") as second:
        assert second.application.lab.library.preset_index == 3
        second.application.open_scene("wave")
        second.application.swap.wait()
        second.turn(1 / 60)
        second.remember()
    with a_session("--size", "500x400") as third:
        assert third.application.lab.library.preset_index is None
        assert third.application.simulation.scene.name == "wave"


def test_the_last_scene_file_and_capture_come_back_with_their_grid(display, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text((Path(__file__).parents[2] / "examples" / "heat.py").read_text())
    with a_session("--fresh", "--scene", str(mine), "--width", "40", "--height", "24") as first:
        first.remember()
        first.application.save_capture(tmp_path / "mine.wrp")
    with a_session() as second:
        assert second.application.simulation.grid.shape == (24, 40)
        assert second.application.simulation.scene.name == first.application.simulation.scene.name
        second.application.open_capture(tmp_path / "mine.wrp")
        second.turn(1 / 60)
        second.remember()
    with a_session() as third:
        assert third.application.simulation.scene.file == tmp_path / "mine.wrp"
        assert third.application.message == ""
    with a_session("--fresh") as fourth:
        assert fourth.application.simulation.scene.name == "wave"


def test_a_last_scene_that_cannot_be_captured_any_more_gives_way_with_a_line(display, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text((Path(__file__).parents[2] / "examples" / "heat.py").read_text())
    with a_session("--fresh", "--scene", str(mine)) as first:
        first.remember()
    mine.write_text(mine.read_text().replace("def record(self, grid: Grid)", "def record(self, grid: Grid, more)"))
    with a_session() as second:
        assert second.application.simulation.scene.name == "wave"
        assert "the last scene did not come back" in second.application.message
        assert not second.application.errors
        second.turn(1 / 60)


def test_a_screenshot_lands_in_a_file(open_window, tmp_path, monkeypatch):
    import platformdirs
    from PIL import Image

    monkeypatch.setattr(platformdirs, "user_pictures_dir", lambda: str(tmp_path))
    hand = open_window("--size", "640x480")
    hand.session.window._native.set_size(500, 400)
    settle_size(hand, (500, 400))
    hand.key("F12")
    hand.turns(2)
    (path,) = tmp_path.glob("*.png")
    assert Image.open(path).size == (500, 400)


def test_a_film_of_the_window_has_every_displayed_frame(open_window, tmp_path, monkeypatch):
    imageio = pytest.importorskip("imageio.v2", reason="films need the extra whitecap[video]")
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_pictures_dir", lambda: str(tmp_path))
    hand = open_window("--size", "320x240")
    hand.key("F9")
    before = hand.application.simulation.frames
    for _ in range(7):
        hand.session.turn(0.3)  # a slow display: simulated time still runs evenly in the film
    hand.key("F9")
    (path,) = tmp_path.glob("*.mp4")
    assert len(imageio.mimread(path, memtest=False)) == 7
    assert hand.application.simulation.frames - before == 7
    assert not hand.application.errors


def test_a_film_ends_when_the_window_gets_another_size(open_window, tmp_path, monkeypatch):
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_pictures_dir", lambda: str(tmp_path))
    hand = open_window("--size", "320x240")
    hand.key("F9")
    hand.turns(3)
    hand.session.window._native.set_size(400, 300)
    settle_size(hand, (400, 300))
    hand.turns()
    assert hand.application.recording is None
    assert "another size" in hand.application.message
    assert len([path for path in tmp_path.iterdir() if not path.name.startswith(".")]) == 1


def test_a_film_that_cannot_be_written_is_an_error_in_the_dialog(open_window, tmp_path, monkeypatch):
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_pictures_dir", lambda: str(tmp_path))
    hand = open_window("--size", "320x240")
    hand.key("F9")

    def fail(_pixels):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hand.application.recording._writer, "add", fail)
    hand.turns(4)
    assert hand.application.recording is None
    assert [message.count for message in hand.application.errors.entries] == [1]
    assert "No space left" in hand.application.errors.entries[0].text
    assert list(tmp_path.iterdir()) == []
