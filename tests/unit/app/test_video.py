"""Films: whole or not there, on a fixed time step."""

import numpy as np
import pytest
from PIL import Image
from whitecap.app.errors import UserError
from whitecap.app.video import PROGRESS_SECONDS, Progress, open_film


def pictures(count, size=(48, 33)):
    for number in range(count):
        yield np.full((size[1], size[0], 3), 20 * number, dtype=np.uint8)


def write(path, count=5):
    with open_film(path) as writer:
        for pixels in pictures(count):
            writer.add(pixels)


def test_a_folder_of_pictures_is_numbered_from_zero(tmp_path):
    write(tmp_path / "film")
    names = sorted(path.name for path in (tmp_path / "film").iterdir())
    assert names == [f"frame-{number:05d}.png" for number in range(5)]
    assert np.asarray(Image.open(tmp_path / "film" / "frame-00003.png"))[0, 0, 0] == 60


def test_an_empty_folder_may_be_there_already(tmp_path):
    (tmp_path / "film").mkdir()
    write(tmp_path / "film")
    assert len(list((tmp_path / "film").iterdir())) == 5


def test_a_gif_has_every_second_picture(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="films need the extra whitecap[video]")
    write(tmp_path / "film.gif", 6)
    with Image.open(tmp_path / "film.gif") as film:
        assert (film.n_frames, film.size) == (3, (48, 33))


def test_an_mp4_has_every_picture_and_even_sides(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="films need the extra whitecap[video]")
    import imageio.v2

    write(tmp_path / "film.mp4", 6)
    frames = imageio.v2.mimread(tmp_path / "film.mp4", memtest=False)
    assert len(frames) == 6
    assert frames[0].shape == (32, 48, 3)


@pytest.mark.parametrize("name", ["film", "film.gif", "film.mp4"])
def test_a_film_that_failed_leaves_nothing_behind(tmp_path, name):
    if "." in name:
        pytest.importorskip("imageio_ffmpeg", reason="films need the extra whitecap[video]")

    def fail():
        with open_film(tmp_path / name) as writer:
            writer.add(next(pictures(1)))
            raise RuntimeError("the power went")

    with pytest.raises(RuntimeError, match="the power went"):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["film.avi", "film.png", "film.mp3"])
def test_another_format_is_refused(tmp_path, name):
    with pytest.raises(UserError, match=r"\.mp4 or \.gif"):
        write(tmp_path / name)


def test_a_folder_with_something_in_it_is_refused_and_untouched(tmp_path):
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="something already"):
        write(tmp_path / "film")
    assert (tmp_path / "film" / "mine.txt").read_text() == "keep"


@pytest.mark.parametrize("name", ["film.gif", "film.mp4"])
def test_a_film_that_is_there_is_refused_and_untouched(tmp_path, name):
    (tmp_path / name).write_text("keep")
    with pytest.raises(UserError, match="something already"):
        write(tmp_path / name)
    assert (tmp_path / name).read_text() == "keep"


def test_an_empty_file_may_be_there_already(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="films need the extra whitecap[video]")
    (tmp_path / "film.gif").touch()
    write(tmp_path / "film.gif")
    assert (tmp_path / "film.gif").stat().st_size > 0


@pytest.mark.parametrize("name", ["film", "film.gif"])
def test_a_place_that_cannot_be_written_to_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot"):
        write(tmp_path / "file" / name)


def test_progress_into_a_file_is_a_line_every_few_seconds(capsys):
    now = [0.0]
    progress = Progress(100, clock=lambda: now[0])
    for number in range(100):
        now[0] += PROGRESS_SECONDS / 40
        progress.show(number + 1)
    assert capsys.readouterr().err.splitlines() == ["40 of 100 frames", "80 of 100 frames"]


def test_progress_on_a_terminal_counts_on_one_line(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress = Progress(3, clock=lambda: 0.0)
    for number in range(3):
        progress.show(number + 1)
    assert capsys.readouterr().err == "\r1 of 3 frames\r2 of 3 frames\r3 of 3 frames\n"


def test_a_quick_film_says_nothing_into_a_file(capsys):
    progress = Progress(2, clock=lambda: 0.0)
    progress.show(1)
    progress.show(2)
    assert capsys.readouterr().err == ""
