"""Resampling, the brush, files, settings, messages, pace, timings, traces, jobs and viewports."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from whitecap.app import trace
from whitecap.app.brush import Stroke, along, stamp
from whitecap.app.errors import UserError
from whitecap.app.files import staged, write_atomically
from whitecap.app.gpu_clock import PENDING, GpuClock
from whitecap.app.interrupt import ending_in_order, uninterrupted
from whitecap.app.job import Job
from whitecap.app.messages import Messages
from whitecap.app.pace import MAX_CATCH_UP, Pace
from whitecap.app.resample import resample
from whitecap.app.settings import Settings
from whitecap.app.timings import Series, Timings
from whitecap.app.viewport import Viewport, parse_size

# ---- resampling


@pytest.mark.parametrize("shape", [(1, 1), (2, 7), (31, 4), (64, 64)])
def test_a_constant_stays_that_constant(shape):
    field = np.full((13, 9), 0.7, dtype=np.float32)
    np.testing.assert_array_equal(resample(field, shape), np.full(shape, np.float32(0.7)))


def test_resampling_never_overshoots():
    field = np.random.default_rng(0).normal(size=(17, 23)).astype(np.float32)
    larger = resample(field, (50, 60))
    assert larger.min() >= field.min()
    assert larger.max() <= field.max()


def test_a_ramp_keeps_its_slope_between_the_outermost_centres():
    field = np.tile(np.arange(8, dtype=np.float32), (3, 1))
    larger = resample(field, (3, 16))
    np.testing.assert_allclose(larger[1, 1:-1], np.arange(14) * 0.5 + 0.25)


def test_integers_take_the_nearest_cell():
    field = np.array([[0, 5], [9, 2]], dtype=np.int32)
    larger = resample(field, (4, 4))
    assert larger.dtype == np.int32
    assert set(np.unique(larger)) == {0, 2, 5, 9}


# ---- brush


def test_a_stamp_is_the_paraboloid_and_touches_nothing_else():
    field = np.zeros((20, 30), dtype=np.float32)
    stamp([field], 12.5, 7.25, 4.0, 0.3)
    rows, columns = np.mgrid[:20, :30]
    ratio = ((columns - 12.5) ** 2 + (rows - 7.25) ** 2) / 16.0
    np.testing.assert_allclose(field, np.where(ratio < 1, 0.3 * (1 - ratio), 0), atol=1e-6)


@pytest.mark.parametrize("place", [(-1000, -1000), (35, 5), (5, 26), (-6, 3)])
def test_a_stamp_off_the_grid_does_nothing(place):
    field = np.zeros((20, 30), dtype=np.float32)
    stamp([field], *place, 5.0, 1.0)
    assert not field.any()


def test_a_stamp_over_the_corner_is_cut_there():
    field = np.zeros((20, 30), dtype=np.float32)
    stamp([field], 0, 0, 3.0, 1.0)
    assert field[0, 0] == 1.0
    assert field[3:, 3:].max() == 0.0


def test_points_along_a_line_are_never_further_apart_than_asked():
    points = [(0.0, 0.0), *along((0, 0), (10, 5), 1.5), (10.0, 5.0)]
    gaps = np.hypot(*np.diff(np.array(points), axis=0).T)
    assert gaps.max() <= 1.5


def test_a_stroke_that_does_not_move_has_no_new_places():
    stroke = Stroke()
    stroke.move(1, 1)
    assert stroke.take(1.0) == [(1, 1)]
    assert stroke.take(1.0) == []
    assert stroke.position == (1, 1)
    stroke.release()
    stroke.take(1.0)
    assert stroke.position is None


# ---- files


def test_a_file_that_failed_half_way_is_not_there(tmp_path):
    path = tmp_path / "out.bin"
    path.write_bytes(b"before")

    def fail():
        with staged(path) as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    path = tmp_path / "deep" / "out.bin"
    write_atomically(path, b"x")
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(UserError, match=r"cannot write .*out\.bin"):
        write_atomically(blocker / "out.bin", b"x")


def test_a_link_keeps_pointing_to_the_file_that_is_written(tmp_path):
    there, link = tmp_path / "there.bin", tmp_path / "link.bin"
    there.write_bytes(b"before")
    link.symlink_to(there)
    write_atomically(link, b"after")
    assert link.is_symlink()
    assert there.read_bytes() == b"after"


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_is_no_place_for_a_file(tmp_path):
    with pytest.raises(UserError, match="this is a folder"):
        write_atomically(tmp_path, b"x")


# ---- settings


def test_settings_come_back_as_they_were_saved(tmp_path):
    path = tmp_path / "settings.toml"
    Settings(window_width=900, window_x=-20, window_y=30, ui_scale=1.25, scene="tank").save(path)
    assert Settings.load(path) == Settings(window_width=900, window_x=-20, window_y=30, ui_scale=1.25, scene="tank")


@pytest.mark.parametrize(
    "text",
    [
        "window_width = ",
        "window_width = 'wide'",
        "window_width = true",
        "window_width = 5",
        "ui_scale = nan",
        "ui_scale = 100",
        "scene = 7",
        "hint_seen = 1",
        "[[[",
        "\x00",
    ],
)
def test_broken_settings_are_ignored_with_one_line_of_notice(tmp_path, capsys, text):
    path = tmp_path / "settings.toml"
    path.write_text(text)
    assert Settings.load(path) == Settings()
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_settings_that_are_not_text_are_ignored(tmp_path, capsys):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe\x80")
    assert Settings.load(path) == Settings()
    assert "settings" in capsys.readouterr().err


def test_unknown_settings_of_a_later_version_do_no_harm(tmp_path, capsys):
    path = tmp_path / "settings.toml"
    path.write_text('scene = "tank"\nhologram = true\n')
    assert Settings.load(path).scene == "tank"
    assert capsys.readouterr().err == ""


def test_missing_settings_are_the_defaults_without_a_word(tmp_path, capsys):
    assert Settings.load(tmp_path / "none.toml") == Settings()
    assert capsys.readouterr().err == ""


def test_settings_that_cannot_be_saved_cost_one_line(tmp_path, capsys):
    blocker = tmp_path / "file"
    blocker.write_text("")
    Settings().save(blocker / "settings.toml")
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_forgetting_removes_the_file_and_forgives_its_absence(tmp_path):
    path = tmp_path / "settings.toml"
    Settings().save(path)
    Settings.forget(path)
    Settings.forget(path)
    assert not path.exists()


# ---- messages


def test_repeats_are_folded_into_a_count():
    messages = Messages()
    for text in ("a", "b", "a", "a"):
        messages.add(text)
    assert [(message.text, message.count) for message in messages.entries] == [("a", 3), ("b", 1)]


def test_messages_are_one_line_and_bounded():
    messages = Messages()
    for number in range(200):
        messages.add(f"line\n{number}")
    assert len(messages.entries) == 50
    assert messages.entries[-1].text == "line 199"
    messages.clear()
    assert not messages


# ---- pace


@pytest.mark.parametrize("rate", [30, 60, 75, 144, 240])
def test_simulated_time_keeps_up_with_the_clock(rate):
    pace = Pace()
    frames = sum(pace.due(1 / rate) for _ in range(rate * 10))
    assert abs(frames - 600) <= 1


def test_a_display_near_the_simulated_rate_gets_one_frame_each():
    pace = Pace()
    generator = np.random.default_rng(0)
    due = [pace.due(1 / 60 + generator.uniform(-0.001, 0.001)) for _ in range(200)]
    assert sum(count != 1 for count in due) <= 4


def test_a_stall_is_not_caught_up():
    pace = Pace()
    assert pace.due(10.0) == MAX_CATCH_UP
    assert pace.due(0.0) == 0


def test_a_clock_that_goes_backwards_owes_nothing():
    assert Pace().due(-5.0) == 0


# ---- timings and traces


def test_a_series_keeps_the_newest_values_oldest_first():
    series = Series(4)
    for value in range(7):
        series.add(value)
    assert series.values().tolist() == [3, 4, 5, 6]
    assert series.last == 6
    summary = series.summary()
    assert (summary.count, summary.minimum, summary.median, summary.maximum) == (4, 3.0, 4.5, 6.0)


def test_an_empty_series_has_a_summary():
    assert Series().summary().as_dict() == {"count": 0, "min_ms": 0.0, "median_ms": 0.0, "max_ms": 0.0}


def test_the_frame_rate_is_frames_over_time():
    timings = Timings()
    assert timings.frame_rate == 0.0
    for milliseconds in (10.0, 30.0):
        timings.frame.add(milliseconds)
    assert timings.frame_rate == pytest.approx(50.0)


def test_a_trace_is_chrome_json_with_nested_spans(tmp_path):
    kept = trace.start(nvtx=False)
    try:
        with trace.span("outer", "test", size=3), trace.span("inner", "test"):
            time.sleep(0.001)
    finally:
        trace.stop()
    with trace.span("after the end", "test"):
        pass
    kept.save(tmp_path / "trace.json")
    events = {event["name"]: event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert set(events) == {"outer", "inner"}
    inner, outer = events["inner"], events["outer"]
    assert outer["ph"] == "X"
    assert outer["args"] == {"size": 3}
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


class FakeEvent:
    def __init__(self):
        self.done = False
        self.time = 0.0

    def record(self, stream):
        assert stream == 7
        self.done = False

    def since(self, start):
        return self.time - start.time


def test_the_gpu_clock_reads_replays_in_order_once_they_have_ended(monkeypatch):
    made = []

    def make(self):
        made.append((FakeEvent(), FakeEvent()))
        return made[-1]

    monkeypatch.setattr(GpuClock, "_make", make)
    clock = GpuClock(SimpleNamespace(stream=7))
    for _ in range(3):
        clock.start()
        clock.stop()
    assert clock.finished() == []
    for number, (_, end) in enumerate(made[:2], 1):
        end.time, end.done = number * 1.5, True
    assert clock.finished() == [1.5, 3.0]
    assert clock.finished() == []
    for _ in range(50):
        clock.start()
        clock.stop()
    assert len(made) <= PENDING + 1  # a GPU that hangs costs no memory


# ---- jobs


def test_a_job_hands_over_its_result_or_its_error():
    assert Job("one", lambda: 1).result() == 1
    with pytest.raises(ZeroDivisionError):
        Job("bad", lambda: 1 / 0).result()


def test_a_job_runs_beside_its_owner_and_dies_with_the_program():
    gate = threading.Event()
    job = Job("waiting", gate.wait)
    assert not job.done
    assert job._thread.daemon
    gate.set()
    assert job.result() is True


LEAVING = """
import sys, time
from whitecap.app import cli
from whitecap.app.job import Job
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.simulation import Simulation

graph = Simulation(find_scene("wave"), Grid(256, 256, substeps=4)).graph

def asleep():
    time.sleep(3600)

def in_native_code():
    while True:
        graph.launch(100)

def soon_done():
    time.sleep(0.05)
    print("whole")

def leave(options):
    print("left", end="")
    Job("unfinished", {work})
    return 3

cli._COMMANDS["doctor"] = leave
sys.exit(cli.main(["doctor"]))
"""


@pytest.mark.parametrize(
    ("work", "printed"), [("asleep", "left"), ("in_native_code", "left"), ("soon_done", "leftwhole\n")]
)
def test_a_program_ends_in_order_whatever_its_jobs_do(work, printed):
    command = [sys.executable, "-c", LEAVING.replace("{work}", work)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout, result.stderr) == (3, printed, "")


# ---- Ctrl-C


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)  # a moment for Python to notice


def test_ctrl_c_waits_for_the_end_of_an_uninterrupted_block():
    done = []

    def work():
        with uninterrupted():
            press_ctrl_c()
            done.append("all of it")
        done.append("and more")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c()


def test_a_failure_in_an_uninterrupted_block_is_not_hidden_by_ctrl_c():
    def fail():
        with uninterrupted():
            press_ctrl_c()
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        fail()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_uninterrupted_block_on_another_thread_is_a_block():
    def work():
        with uninterrupted():
            return signal.getsignal(signal.SIGINT)

    assert Job("beside", work).result() is signal.default_int_handler


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_window_is_noted_and_interrupts_nothing(number):
    with ending_in_order() as ending:
        with uninterrupted():
            os.kill(os.getpid(), number)
            time.sleep(0.01)
        assert ending.signal == number
    assert signal.getsignal(number) is (signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def test_a_second_ctrl_c_interrupts_a_window_that_does_not_end():
    with ending_in_order():
        press_ctrl_c()
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            press_ctrl_c()


def test_a_hangup_that_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_in_order() as ending:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
            assert not ending.asked
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


# ---- viewport


def test_framebuffer_pixels_follow_the_ratio():
    assert Viewport(100, 50, 1.5).framebuffer == (150, 75)


@pytest.mark.parametrize("size", [(0, 100), (100, 0), (0, 0)])
def test_a_viewport_without_area_is_empty(size):
    assert Viewport(*size).empty


@pytest.mark.parametrize(
    "text", ["", "1280", "1280x", "x800", "axb", "1280x-3", "1280x0", "99999x99999", "8x8", "1e3x5"]
)
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(UserError, match="--size"):
        parse_size(text)


def test_a_size_is_width_by_height():
    assert parse_size("1280x800") == (1280, 800)
