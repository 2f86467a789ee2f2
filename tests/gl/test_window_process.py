"""The program as a process on a display, with the tools of the desktop."""

import os
import signal
import subprocess
import sys
import time

import pytest
from hands import SCREEN, a_display, wait_for

pytestmark = [pytest.mark.window, pytest.mark.gl]


@pytest.mark.parametrize(
    ("options", "environment", "said"),
    [
        (["-extension", "GLX"], {}, "this display cannot show OpenGL"),
        ([], {"MESA_GL_VERSION_OVERRIDE": "2.1"}, "this display offers no OpenGL 3.3"),
    ],
    ids=["no GLX", "an old driver"],
)
def test_a_display_without_opengl_is_one_line_that_says_what_next(tmp_path, options, environment, said):
    with a_display(tmp_path, *options):
        command = [sys.executable, "-m", "whitecap.app.cli", "--frames", "3"]
        result = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
        )
    (line,) = result.stderr.splitlines()
    assert result.returncode == 1
    assert said in line
    assert "Exception" not in line
    assert line.endswith("or run with --offscreen")


def test_the_program_opens_pokes_and_quits_by_mouse_and_keyboard(xdotool):
    command = [sys.executable, "-m", "whitecap.app.cli", "--fresh", "--size", "800x600"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        window = wait_for(lambda: xdotool("search", "--name", "Whitecap: .* FPS").split()[-1])
        xdotool("mousemove", "--window", window, 430, 330)
        xdotool("mousedown", 1)
        time.sleep(0.3)
        xdotool("mouseup", 1)
        xdotool("windowfocus", window)
        time.sleep(0.3)
        xdotool("key", "space")
        wait_for(lambda: xdotool("search", "--name", "paused").split()[0])
        xdotool("key", "Escape")
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_every_press_of_f11_counts_without_a_window_manager_too(xdotool):
    command = [sys.executable, "-m", "whitecap.app.cli", "--fresh", "--size", "640x480"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def shown(size):
        window = xdotool("search", "--name", "Whitecap: .* FPS").split()[-1]
        if f"Geometry: {size[0]}x{size[1]}" not in xdotool("getwindowgeometry", window):
            raise IndexError("not yet")
        return window

    try:
        window = wait_for(lambda: shown((640, 480)))
        xdotool("windowmove", "--sync", window, 100, 50)
        xdotool("windowfocus", window)
        for size in (SCREEN, (640, 480), SCREEN, (640, 480)):
            time.sleep(0.3)
            xdotool("key", "F11")  # to what has the keyboard
            window = wait_for(lambda size=size: shown(size), seconds=10)
        assert "Position: 100,50" in xdotool("getwindowgeometry", window)
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
        assert process.stderr.read() == ""
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_the_program_as_its_close_button_does(xdotool, number):
    from whitecap.app.settings import Settings

    process = subprocess.Popen(
        [sys.executable, "-m", "whitecap.app.cli", "--fresh", "--size", "640x480"], stderr=subprocess.PIPE, text=True
    )
    try:
        window = wait_for(lambda: xdotool("search", "--name", "Whitecap: .* FPS").split()[-1])
        xdotool("windowsize", "--sync", window, 700, 500)
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr.read() == ("whitecap: interrupted\n" if number == signal.SIGINT else "")
        assert (Settings.load().window_width, Settings.load().window_height) == (700, 500)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
