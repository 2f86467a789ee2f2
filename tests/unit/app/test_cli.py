"""The command line, run as a person runs it: what it prints, what it refuses, and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whitecap.app import offscreen, smoke
from whitecap.app.arguments import parse
from whitecap.app.captures import modules_folder
from whitecap.app.errors import EXIT_CODES, CheckError
from whitecap.app.scene import Grid


@pytest.fixture
def whitecap(tmp_path):
    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "whitecap.app.cli", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def refused(result, code, *words):
    """One line on standard error, nothing on standard output, no traceback."""
    assert result.returncode == code, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for word in words:
        assert word in lines[0]


# ---- refusals of the command line itself


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--width", "0"], ["--width", "'0'", "1 to 16384"]),
        (["--width", "-5"], ["--width", "1 to 16384"]),
        (["--width", "many"], ["--width", "'many'"]),
        (["--width", "12.5"], ["--width"]),
        (["--width", ""], ["--width"]),
        (["--height", "1e3"], ["--height"]),
        (["--substeps", "0"], ["--substeps", "1 to 1024"]),
        (["--substeps", "99999"], ["--substeps"]),
        (["--threads", "0"], ["--threads"]),
        (["--frames", "none"], ["--frames"]),
        (["--size", "large"], ["--size", "1280x800"]),
        (["--size", "0x0"], ["--size"]),
        (["--backend", "vulkan"], ["--backend", "cuda-interop"]),
        (["--width"], ["--width"]),
        (["--wdith", "3"], ["--wdith"]),
        (["--wid", "3"], ["--wid"]),
        (["dance"], ["dance", "capture"]),
        (["--smoke", "--benchmark"], ["--smoke", "--benchmark"]),
        (["--smoke", "--screenshot", "a.png"], ["--smoke"]),
        (["--screenshot", "a.jpg"], [".png"]),
        (["--out", "film.mp4"], ["--frames"]),
        (["--json", "a.json"], ["--benchmark"]),
        (["--scene", "wave", "--preset", "rain"], ["--preset"]),
        (["a.toml", "--preset", "rain"], ["a.toml", "--preset"]),
        (["a.wrp", "b.wrp"], ["b.wrp"]),
        (["a.wrp", "--width", "64"], ["a.wrp", "fixed in a capture", "--width"]),
        (["--offscreen", "a.wrp", "--substeps", "4"], ["a.wrp", "fixed in a capture", "--substeps"]),
        (["--smoke", "--preset", "rain"], ["--smoke", "--preset"]),
        (["--smoke", "a.toml"], ["--smoke", "FILE"]),
        (["picture.png"], ["picture.png", ".wrp"]),
        (["--scene", "nope.py", "--offscreen"], ["nope.py", "no such file"]),
        (["--scene", "nope", "--offscreen"], ["nope", "wave"]),
        (["capture", "--scene", "nope", "--out", "a.wrp"], ["nope"]),
        (["capture", "--target", "sm_5000x", "--out", "wave.wrp"], ["sm_5000x"]),
        (["--offscreen", "--view", "sideways"], ["--view", "home"]),
        (["--offscreen", "--preset", "nope"], ["nope", "rain"]),
        (["--frames", "2", "--out", "film.avi"], ["film.avi", ".mp4"]),
        (["--smoke", "--substeps", "1"], ["--substeps 1", "unstable"]),
        (["capture"], ["--out"]),
        (["capture", "--out", "a.wrp", "--width", "0"], ["--width"]),
        (["inspect"], ["FILE.wrp"]),
        (["inspect", "o1.toml"], ["o1.toml: the name of a capture ends in .wrp", "o1.wrp"]),
        (["capture", "--out", "w.txt"], ["--out w.txt: the name of a capture ends in .wrp", "w.wrp", "w.txt.wrp"]),
        (["doctor", "--what"], ["--what"]),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(whitecap, arguments, words):
    refused(whitecap(*arguments), 2, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scene", "nope", "--smoke"], ["--smoke", "wave"]),
        (["capture", "--width", "16384", "--height", "16384", "--out", "a.wrp"], ["16384 x 16384", "too large"]),
        (["inspect", "nope.wrp"], ["nope.wrp", "no such file"]),
        (["--offscreen", "nope.wrp"], ["nope.wrp"]),
        (["--offscreen", "nope.toml"], ["nope.toml"]),
        (["--offscreen", "pipe.toml"], ["pipe.toml", "this is a pipe"]),
        (["--offscreen", "--preset", "pipe.toml"], ["pipe.toml", "this is a pipe"]),
        (["inspect", "pipe.wrp"], ["pipe.wrp", "this is a pipe"]),
        (["--offscreen", "--screenshot", "folder.png"], ["folder.png", "this is a folder"]),
        (["--benchmark", "--json", "."], ["folder"]),
        (["inspect", "."], ["names no capture"]),
        (["capture", "--out", ""], ["names no capture"]),
        (["capture", "--out", ".."], ["names no capture"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(whitecap, tmp_path, arguments, words):
    (tmp_path / "folder.png").mkdir()
    for name in ("pipe.toml", "pipe.wrp"):
        os.mkfifo(tmp_path / name)
    refused(whitecap(*arguments), 1, *words)


def test_a_forced_backend_that_is_not_there_is_refused(whitecap):
    result = whitecap("--smoke", "--backend", "cuda-interop", CUDA_VISIBLE_DEVICES="")
    if result.returncode == 0:
        pytest.skip("this machine has a GPU")
    refused(result, 1, "--backend cuda-interop", "cpu")


@pytest.fixture
def gl(whitecap):
    """Skips where there is no OpenGL off screen."""
    result = whitecap("--offscreen", "--frames", 1, "--size", "64x48", "--width", 8, "--height", 8)
    if result.returncode != 0:
        pytest.skip(result.stderr.strip())


# ---- files


@pytest.fixture
def capture_file(whitecap, tmp_path):
    result = whitecap("capture", "--width", 24, "--height", 16, "--substeps", 4, "--out", "wave.wrp")
    assert result.returncode == 0, result.stderr
    return tmp_path / "wave.wrp"


def test_capture_prints_what_it_wrote(whitecap, tmp_path):
    result = whitecap("capture", "--width", 20, "--height", 10, "--substeps", 5, "--out", "small")
    assert result.returncode == 0, result.stderr
    words = result.stdout.split()
    assert "grid 20 x 10" in " ".join(words)
    assert "sub-steps 5, dt 0.003333333 s" in " ".join(words)
    assert "launches 6" in " ".join(words)
    for name, size in (("heights", 800), ("heights_prev", 800), ("mouse_pos", 8), ("params", 20), ("heights_out", 800)):
        assert f"{name} {size} bytes" in " ".join(words)
    assert (tmp_path / "small.wrp").is_file()
    assert any((tmp_path / "small_modules").iterdir())


def test_capture_into_a_place_that_is_none_is_refused_and_leaves_nothing(whitecap, tmp_path):
    (tmp_path / "file").write_text("in the way")
    refused(whitecap("capture", "--out", "file/wave.wrp"), 1, "file/wave.wrp")
    (tmp_path / "folder.wrp").mkdir()
    refused(whitecap("capture", "--out", "folder.wrp"), 1, "folder.wrp")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.wrp"]


def test_inspect_shows_the_file(whitecap, capture_file):
    result = whitecap("inspect", capture_file)
    assert result.returncode == 0, result.stderr
    assert "launches   5" in result.stdout
    assert "wave_solve over 16 x 24" in result.stdout
    report = json.loads(whitecap("inspect", capture_file, "--json").stdout)
    assert report["launches"] == 5
    assert {binding["name"]: binding["size"] for binding in report["bindings"]}["heights"] == 24 * 16 * 4


def test_inspect_says_which_module_is_missing(whitecap, capture_file):
    for module in modules_folder(capture_file).iterdir():
        module.unlink()
    result = whitecap("inspect", capture_file)
    assert result.returncode == 0
    assert "MISSING" in result.stdout


@pytest.mark.parametrize("keep", [0, 10, 64, 160, 300, -1])
def test_a_truncated_file_is_refused(whitecap, capture_file, keep):
    data = capture_file.read_bytes()
    capture_file.write_bytes(data[:keep])
    refused(whitecap("inspect", capture_file), 1)


def test_opening_a_truncated_capture_is_refused(gl, whitecap, capture_file):
    capture_file.write_bytes(capture_file.read_bytes()[:-50])
    refused(whitecap("--offscreen", capture_file), 1, "wave.wrp")


def test_opening_a_capture_without_its_modules_is_refused(gl, whitecap, capture_file):
    folder = modules_folder(capture_file)
    folder.rename(folder.with_name("elsewhere"))
    refused(whitecap("--offscreen", capture_file), 1, "error: module file", "wave_modules", "does not exist")


def test_a_capture_of_another_program_is_shown(gl, whitecap, capture_file, tmp_path):
    result = whitecap("--offscreen", capture_file, "--frames", 3, "--size", "64x48", "--screenshot", "out.png")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_that_is_something_else_is_refused(whitecap, tmp_path):
    (tmp_path / "text.wrp").write_text("hello")
    refused(whitecap("inspect", "text.wrp"), 1)
    (tmp_path / "folder.wrp").mkdir()
    refused(whitecap("inspect", "folder.wrp"), 1)


# ---- what works


def test_smoke_proves_itself_and_prints_the_parameters(whitecap):
    result = whitecap("--smoke")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[-1] == "smoke OK (10 graph launches)"
    assert "params" in result.stdout
    assert "65,536 bytes" in result.stdout


def test_smoke_on_a_warm_cache_runs_no_compiler(whitecap):
    assert whitecap("--smoke").returncode == 0
    result = whitecap("--smoke", PATH="/nonexistent", CXX="/nonexistent/c++", CC="/nonexistent/cc")
    assert result.returncode == 0, result.stderr


def test_smoke_fails_when_the_numbers_are_wrong(monkeypatch, capsys):
    monkeypatch.setattr(smoke, "TOLERANCE", 1e-12)
    with pytest.raises(CheckError, match="away from the float64 reference") as caught:
        smoke.smoke(Grid(24, 24))
    assert caught.value.exit_code == 3
    assert "smoke OK" not in capsys.readouterr().out


def test_smoke_fails_when_the_file_replays_other_bits(monkeypatch, capsys):
    run = smoke._run_loaded
    monkeypatch.setattr(smoke, "_run_loaded", lambda *all: tuple(np.nextafter(part, 9) for part in run(*all)))
    with pytest.raises(CheckError, match="differ between live capture and saved file"):
        smoke.smoke(Grid(24, 24))
    assert "smoke OK" not in capsys.readouterr().out


@pytest.mark.parametrize("name", [":99999", "localhost:10.0", "nonsense"])
def test_a_display_that_cannot_be_reached_is_no_display(whitecap, gl, tmp_path, name):
    pytest.importorskip("pyglet")
    result = whitecap("--frames", 2, "--size", "64x48", "--width", 8, "--height", 8, DISPLAY=name)
    assert result.returncode == 0, result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert f"DISPLAY={name} cannot be reached" in result.stderr
    assert result.stdout.strip() == str(tmp_path / "whitecap.png")


SMALL = ("--frames", "2", "--size", "64x48", "--width", "8", "--height", "8")


def test_the_demonstration_in_a_folder_that_cannot_be_written_to_makes_a_new_file(gl, tmp_path, monkeypatch, capsys):
    others = tmp_path / "whitecap.png"
    others.write_text("somebody else's")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(offscreen, "writable_folder", lambda path: False)
    paths = []
    for _ in range(2):
        assert offscreen.demonstration(parse([*SMALL])[1]) == 0
        output = capsys.readouterr()
        assert f"{os.getcwd()} cannot be written to" in output.err
        paths.append(Path(output.out.strip()))
    assert len(set(paths)) == 2
    assert all(path.parent == tmp_path and path.read_bytes().startswith(b"\x89PNG") for path in paths)
    assert others.read_text() == "somebody else's"


def in_a_folder_that_is_gone(tmp_path, *arguments):
    (tmp_path / "gone").mkdir()
    command = ["bash", "-c", 'rmdir ../gone; exec "$@"', "-", sys.executable, "-c", RUN, *arguments]
    return subprocess.run(command, cwd=tmp_path / "gone", capture_output=True, text=True, timeout=120)


RUN = "import sys; from whitecap.app.entry import main; sys.exit(main())"


def test_the_demonstration_in_a_folder_that_is_gone_says_so_and_makes_a_picture(gl, tmp_path):
    result = in_a_folder_that_is_gone(tmp_path, *SMALL)
    assert result.returncode == 0, result.stderr
    assert "the working folder is not there any more" in result.stderr
    picture = Path(result.stdout.strip())
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()


def test_a_window_in_a_folder_that_is_gone_is_one_line_that_says_what_next(tmp_path, monkeypatch):
    pytest.importorskip("imgui_bundle")  # cannot be imported there
    monkeypatch.setenv("DISPLAY", ":99999")
    refused(in_a_folder_that_is_gone(tmp_path), 1, "the working folder is not there any more", "cd")


def test_a_film_and_a_screenshot_of_its_last_frame_are_both_written(whitecap, gl, tmp_path):
    result = whitecap("--screenshot", "last.png", "--out", "film", "--frames", 3, *SMALL[2:])
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["film", "last.png"]
    assert (tmp_path / "last.png").read_bytes() == (tmp_path / "film" / "frame-00002.png").read_bytes()


def test_one_frame_is_called_one(whitecap, gl):
    arguments = ("--offscreen", "--size", "64x48", "--width", 8, "--height", 8, "--frames")
    assert whitecap(*arguments, 1).stdout.startswith("1 frame on ")
    assert whitecap(*arguments, 2).stdout.startswith("2 frames on ")


def test_an_unwritable_cache_folder_costs_a_line_and_nothing_else(whitecap, tmp_path):
    (tmp_path / "file").write_text("")
    result = whitecap(
        "--benchmark", "--frames", 3, "--width", 8, "--height", 8, WHITECAP_CACHE_DIR=tmp_path / "file" / "x"
    )
    assert result.returncode == 0, result.stderr
    assert "WHITECAP_CACHE_DIR" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_benchmark_prints_a_table_and_json(whitecap, tmp_path):
    result = whitecap(
        "--benchmark", "--frames", 5, "--width", 16, "--height", 8, "--size", "64x48", "--json", "out.json"
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout.splitlines()[-1])
    assert report == json.loads((tmp_path / "out.json").read_text())
    assert (report["width"], report["height"], report["frames"]) == (16, 8, 5)
    times = report["phases"]["simulation"]
    assert times["count"] == 5
    assert 0 < times["min_ms"] <= times["median_ms"] <= times["max_ms"]
    assert "median" in result.stdout


def test_help_is_for_reading(whitecap):
    result = whitecap("--help")
    assert result.returncode == 0
    for word in ("--smoke", "--offscreen", "examples:", "exit codes:", "capture", "doctor"):
        assert word in result.stdout
    for code in EXIT_CODES:
        assert f"\n  {code} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.parametrize("command", ["capture", "doctor", "inspect", "profile"])
def test_every_subcommand_has_help(whitecap, command):
    result = whitecap(command, "--help")
    assert result.returncode == 0
    assert f"usage: whitecap {command}" in result.stdout


def test_the_version_is_printed(whitecap):
    assert whitecap("--version").stdout == "whitecap 0.1.0\n"


@pytest.mark.parametrize("module", ["whitecap.app.cli", "argparse", "whitecap.app.errors"])
def test_ctrl_c_while_the_program_is_being_imported_ends_it_without_a_word(module):
    code = f"""
import os, signal, sys

class Hand:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Hand())
sys.argv[1:] = ["--version"]
from whitecap.app.entry import main
sys.exit(main())
"""
    result = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_the_command_line_imports_nothing_heavy(whitecap):
    code = (
        "import sys; from whitecap.app import arguments, cli; arguments.main_parser();"
        "heavy = {'numpy', 'pyglet', 'moderngl', 'imgui_bundle'} & set(sys.modules); assert not heavy, heavy"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True).returncode == 0


def test_verbose_shows_the_details_before_the_line(whitecap):
    result = whitecap("inspect", "nope.wrp", "--verbose")
    assert result.returncode == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("whitecap: error:")


def test_profile_writes_a_trace(whitecap, tmp_path):
    result = whitecap("profile", "--frames", 3, "--width", 8, "--height", 8, "--out", "trace.json")
    assert result.returncode == 0, result.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = [event["name"] for event in events]
    assert {"record", "compile", "save", "load"} <= set(names)
    assert names.count("simulation") == 3


def test_doctor_gives_a_verdict_for_every_line(whitecap):
    result = whitecap("doctor", "--json")
    report = json.loads(result.stdout)
    findings = [finding for topic in report.values() for finding in topic]
    assert {"Program", "Packages", "Capture and replay", "CUDA", "OpenGL", "Paths"} <= set(report)
    assert all(finding["verdict"] in ("ok", "note", "problem") for finding in findings)
    assert all(finding["remedy"] for finding in findings if finding["verdict"] == "problem")
    assert result.returncode == (3 if any(finding["verdict"] == "problem" for finding in findings) else 0)
    text = whitecap("doctor").stdout
    assert "\x1b" not in text
    assert "smoke check" in text


def test_a_closed_output_is_no_error(whitecap, tmp_path):
    command = f"{sys.executable} -m whitecap.app.cli --version >&-"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_reader_that_goes_away_is_no_error(whitecap, tmp_path):
    command = f"{sys.executable} -m whitecap.app.cli doctor | head -1"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert result.stderr == ""
