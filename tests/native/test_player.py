"""The player's files: dumps appear complete, through links, into pipes, and replace nothing but a file."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sysconfig
import threading
from pathlib import Path

import numpy as np
import pytest

from .programs import Stencil, stencil_reference


@pytest.fixture(scope="module")
def player() -> str:
    found = os.environ.get("WHITECAP_PLAYER") or shutil.which("whitecap-player", path=sysconfig.get_path("scripts"))
    if found is None:
        pytest.skip("whitecap-player is not installed here (WHITECAP_PLAYER names it otherwise)")
    return found


@pytest.fixture
def graph(kernels: Path, tmp_path: Path) -> Path:
    """field.wrp and its module: a 6 x 5 stencil."""
    folder = tmp_path / "field_modules"
    folder.mkdir()
    shutil.copy(kernels, folder / "kernels.so")
    (tmp_path / "field.wrp").write_bytes(Stencil(6, 5).capture().encode())
    return tmp_path / "field.wrp"


def run(player: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [player, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_dump_holds_the_numbers_of_the_last_frame(player: str, graph: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    assert run(player, "--graph", graph, "--frames", 1, "--dump", "field_out", out).returncode == 0
    values = np.load(out)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values.reshape(6, 5), stencil_reference(Stencil(6, 5).field), rtol=1e-6, atol=1e-6)
    assert not list(tmp_path.glob("out.npy?*"))
    assert stat.S_IMODE(out.stat().st_mode) & 0o444 == 0o444


def test_an_input_from_a_file_reaches_the_kernels(player: str, graph: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "ones.npy", np.ones((6, 5), np.float32))
    np.save(tmp_path / "half.npy", np.array([0.5], np.float32))
    out = tmp_path / "out.npy"
    words = ["--set", "field", tmp_path / "ones.npy", "--set", "scale", tmp_path / "half.npy"]
    assert run(player, "--graph", graph, *words, "--frames", 2, "--dump", "field_out", out).returncode == 0
    assert np.load(out).tolist() == [0.25] * 30


def test_a_link_keeps_pointing_and_its_target_is_written(player: str, graph: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "target.npy", tmp_path / "link.npy"
    target.write_bytes(b"old")
    link.symlink_to(target)
    assert run(player, "--graph", graph, "--dump", "field_out", link).returncode == 0
    assert link.is_symlink()
    assert np.load(target).size == 30


def test_a_pipe_is_written_as_it_is(player: str, graph: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    assert run(player, "--graph", graph, "--dump", "field_out", pipe).returncode == 0
    reader.join(timeout=30)
    assert received[0].startswith(b"\x93NUMPY")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is not there")
def test_a_full_device_is_an_error_and_stays_a_device(player: str, graph: Path) -> None:
    result = run(player, "--graph", graph, "--dump", "field_out", "/dev/full")
    assert result.returncode == 4
    assert "/dev/full: cannot be written: No space left on device" in result.stderr
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_places_that_cannot_be_written_are_refused_before_the_first_frame(
    player: str, graph: Path, tmp_path: Path
) -> None:
    for place, why in ((tmp_path, "it is a folder"), (tmp_path / "absent" / "x.npy", "No such file or directory")):
        result = run(player, "--graph", graph, "--frames", 10**12, "--dump", "field_out", place)
        assert result.returncode == 4
        assert why in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is no .npy file"),
        (b"\x93NUMPY\x01\x00\xff\xff", "was cut short inside its header"),
        (b"\x93NUMPY\x02\x00\x01", "was cut short inside its header"),
        (b"\x93NUMPY\x01\x00\x02\x00{}", "is in Fortran order"),
    ],
)
def test_files_that_are_no_arrays_are_refused(
    player: str, graph: Path, tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "in.npy").write_bytes(content + bytes(10 - len(content) if len(content) < 10 else 0))
    result = run(player, "--graph", graph, "--set", "field", tmp_path / "in.npy")
    assert result.returncode == 4
    assert why in result.stderr


def test_exit_codes_tell_what_went_wrong(player: str, graph: Path, tmp_path: Path) -> None:
    assert run(player, "--graph", graph, "--smoke").returncode == 0
    assert run(player, "--frames", "x").returncode == 2
    assert run(player, "--graph", tmp_path / "absent").returncode == 3
    assert run(player, "--graph", graph, "--dump", "waves", "x.npy").returncode == 4
    np.save(tmp_path / "huge.npy", np.full((6, 5), 3e38, np.float32))
    np.save(tmp_path / "factor.npy", np.array([1e3], np.float32))
    words = ["--set", "field", tmp_path / "huge.npy", "--set", "scale", tmp_path / "factor.npy"]
    result = run(player, "--graph", graph, *words, "--smoke")
    assert result.returncode == 1
    assert "is not a finite number" in result.stderr
    (graph.parent / "field_modules" / "kernels.so").unlink()
    assert run(player, "--graph", graph).returncode == 3


def test_a_pipe_for_a_capture_is_refused_and_not_waited_for(player: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wrp")
    result = run(player, "--graph", tmp_path / "pipe.wrp")
    assert result.returncode == 3
    assert "pipe.wrp: is not a regular file" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is not there")
@pytest.mark.parametrize("words", [["--smoke"], ["--frames", "1"]])
def test_output_that_cannot_be_written_is_an_error(player: str, graph: Path, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [player, "--graph", str(graph), *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.returncode == 1
    assert "standard output cannot be written: No space left on device" in result.stderr
