"""PNG files: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from whitecap.app.errors import UserError
from whitecap.app.view.picture import write_png

PIXELS = np.random.default_rng(0).integers(0, 256, (7, 11, 3), dtype=np.uint8)


def test_pixels_come_back(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", PIXELS)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "a.png")), PIXELS)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_an_existing_picture_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"old")
    write_png(str(tmp_path / "a.png"), PIXELS)
    assert Image.open(tmp_path / "a.png").size == (11, 7)


def test_the_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", PIXELS)
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a.png").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize("place", ["file/a.png", "folder"])
def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="cannot write") as caught:
        write_png(tmp_path / place, PIXELS)
    assert str(tmp_path / place) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_link_to_a_picture_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.png").symlink_to("b.png")
    write_png(tmp_path / "a.png", PIXELS)
    assert (tmp_path / "a.png").is_symlink()
    assert Image.open(tmp_path / "b.png").size == (11, 7)


def test_an_interrupted_write_keeps_the_old_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UserError, match="No space left on device"):
        write_png(tmp_path / "a.png", PIXELS)
    assert (tmp_path / "a.png").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_an_array_that_is_no_picture_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError)):
        write_png(tmp_path / "a.png", np.zeros((2, 2, 7), np.uint8))
    assert list(tmp_path.iterdir()) == []
