"""The cache of captures: found, repaired, bounded, and never in the way."""

import errno
import os

import numpy as np
import pytest
from whitecap.app import captures
from whitecap.app.captures import CaptureCache, capture_key, modules_folder
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

GRID = Grid(16, 12)


@pytest.fixture
def cache(tmp_path):
    return CaptureCache(tmp_path / "captures")


def run(cache):
    simulation = Simulation(find_scene("wave"), GRID, cache=cache)
    simulation.poke(4, 4)
    simulation.frame()
    return simulation.heights().copy()


def test_the_second_load_captures_nothing(cache, monkeypatch):
    first = run(cache)
    monkeypatch.setattr(captures, "record_and_save", lambda *_: pytest.fail("captured again"))
    np.testing.assert_array_equal(run(cache), first)


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(path.read_bytes()[:-10]),
        lambda path: path.write_bytes(b"WRP1" + os.urandom(400)),
        lambda path: path.write_text("not a capture"),
        lambda path: [f.unlink() for f in modules_folder(path).iterdir()],
        lambda path: [f.write_bytes(b"\x7fELF" + bytes(60)) for f in modules_folder(path).iterdir()],
    ],
    ids=["empty", "head", "tail", "noise", "text", "no modules", "broken module"],
)
def test_a_damaged_capture_is_made_again_with_one_line_of_notice(cache, harm, capsys):
    first = run(cache)
    capsys.readouterr()
    harm(cache.path(find_scene("wave"), GRID))
    np.testing.assert_array_equal(run(cache), first)
    notices = capsys.readouterr().err.splitlines()
    assert len(notices) == 1
    assert "damaged" in notices[0]
    run(cache)
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_be_written_to_is_replaced_with_one_line_of_notice(tmp_path, capsys):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    cache = CaptureCache(blocker / "captures")
    assert run(cache).any()
    notices = capsys.readouterr().err.splitlines()
    assert len(notices) == 1
    assert "WHITECAP_CACHE_DIR" in notices[0]


def test_something_in_the_way_of_a_capture_is_left_alone_with_one_line_of_notice(cache, capsys):
    path = cache.path(find_scene("wave"), GRID)
    path.mkdir()
    assert run(cache).any()
    notices = capsys.readouterr().err.splitlines()
    assert len(notices) == 1
    assert str(path) in notices[0]
    assert path.is_dir()


def test_a_full_disk_costs_one_line_of_notice_and_leaves_nothing_behind(cache, monkeypatch, capsys):
    save, folder = captures.record_and_save, cache.folder

    def full(scene, grid, path, targets):
        if path.parent == folder:
            path.write_bytes(b"the first")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return save(scene, grid, path, targets)

    monkeypatch.setattr(captures, "record_and_save", full)
    assert run(cache).any()
    notices = capsys.readouterr().err.splitlines()
    assert len(notices) == 1
    assert str(folder) in notices[0]
    assert "No space left" in notices[0]
    assert not list(folder.iterdir())


def test_a_disk_that_is_full_everywhere_is_an_error(cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(captures, "record_and_save", full)
    with pytest.raises(OSError, match="No space left"):
        run(cache)


def test_the_cache_is_bounded_and_drops_what_was_unused_for_longest(cache, monkeypatch):
    monkeypatch.setattr(captures, "MAX_FILES", 3)
    scene = find_scene("wave")
    paths = []
    for age, width in zip((50, 40, 30, 20), (4, 5, 6, 7)):
        _, path = cache.load(scene, Grid(width, 4, 2), "cpu")
        os.utime(path, (1e9 - age, 1e9 - age))
        paths.append(path)
    cache.load(scene, Grid(8, 4, 2), "cpu")
    assert [path.exists() for path in paths] == [False, False, True, True]
    assert not modules_folder(paths[0]).exists()


def test_the_key_depends_on_everything_that_changes_the_stream():
    scene = find_scene("wave")
    keys = {capture_key(scene, grid) for grid in (GRID, GRID.with_(substeps=3), GRID.with_(cell=0.2), Grid(12, 16))}
    assert len(keys) == 4


def test_what_an_earlier_program_left_half_saved_goes_and_what_is_being_saved_stays(cache):
    old, new = cache.folder / ".wave-8x8x4-cpu-0.wrp-abc", cache.folder / ".wave-8x8x4-cpu-0.wrp-def"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    run(cache)
    assert not old.exists()
    assert new.exists()


def test_a_failure_that_is_not_the_files_fault_is_not_hidden(cache, monkeypatch):
    run(cache)

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(cache, "_open", fail)
    with pytest.raises(MemoryError):
        cache.load(find_scene("wave"), GRID, "cpu")
    assert cache.path(find_scene("wave"), GRID).exists()
