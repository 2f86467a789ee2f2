"""A display of our own, and a person at the window: shared by the window's tests."""

import contextlib
import os
import shutil
import subprocess
import time

import numpy as np
import pytest
from whitecap.app.arguments import parse

SCREEN = (1400, 1000)


@contextlib.contextmanager
def a_display(folder, *options):
    """A display of our own, with settings and cache in `folder`."""
    with x_server(*options) as name, on_display(name, folder):
        yield


@contextlib.contextmanager
def x_server(*options):
    """The display's name."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-nolisten", "tcp"]
    command += options
    server = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        pytest.skip("Xvfb did not start")
    yield f":{number}"
    server.terminate()
    server.wait(10)


@contextlib.contextmanager
def on_display(name, folder):
    """Windows open there, with settings and cache in `folder`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", name)
        patch.setenv("WHITECAP_CONFIG_DIR", str(folder / "config"))
        patch.setenv("WHITECAP_CACHE_DIR", str(folder / "cache"))
        yield


class Hand:
    """A person at the window: events as the window system delivers them, and eyes on the pixels."""

    def __init__(self, session):
        from pyglet.window import key, mouse

        self.session = session
        self.application = session.application
        self._window = session.window._native
        self._key = key
        self._buttons = {"left": mouse.LEFT, "right": mouse.RIGHT, "middle": mouse.MIDDLE}
        self._at = (0, 0)
        self.turns(2)

    def settle(self):
        """Lets what moves by itself come to rest: flights, and the view that makes room for panels."""
        self.session.turn(2.0)
        self.turns(2)

    def turns(self, count=1):
        for _ in range(count):
            self.session.turn(1 / 60)

    def picture(self):
        """The window's pixels: (height, width, 3), top row first."""
        width, height = self.application.viewport.framebuffer
        shots = []

        def take(target):
            data = target.read((0, 0, width, height), components=3, alignment=1)
            shots.append(np.frombuffer(data, np.uint8).reshape(height, width, 3)[::-1])

        self.application.after_draw.append(take)
        self.turns()
        return shots[0].astype(int)

    def move(self, x, y):
        self._event("on_mouse_motion", *self._flipped(x, y), 0, 0)
        self._at = (x, y)

    def away(self):
        self._event("on_mouse_leave", 0, 0)

    def press(self, x, y, button="left", modifiers=0):
        self._at = (x, y)
        self._event("on_mouse_press", *self._flipped(x, y), self._buttons[button], modifiers)

    def drag(self, x, y, button="left"):
        self._at = (x, y)
        self._event("on_mouse_drag", *self._flipped(x, y), 0, 0, self._buttons[button], 0)

    def release(self, button="left"):
        self._event("on_mouse_release", *self._flipped(*self._at), self._buttons[button], 0)

    def scroll(self, x, y, steps):
        self._event("on_mouse_scroll", *self._flipped(x, y), 0, steps)

    def key(self, name, modifiers=0):
        self._event("on_key_press", getattr(self._key, name), modifiers)
        self._event("on_key_release", getattr(self._key, name), modifiers)

    def type(self, text):
        self._event("on_text", text)

    def _flipped(self, x, y):
        return x, self._window.get_size()[1] - 1 - y

    def _event(self, name, *arguments):
        self._window.dispatch_event(name, *arguments)
        self.session.window.pump()  # the window queues events until it is asked for them


def still(hand):
    """Paused water, no panels and a clean data view, so that only the brush changes pixels."""
    hand.application.simulation.paused = True
    hand.application.look.mode = "data"
    hand.application.look.auto_range = False
    hand.application.look.auto_quality = False
    hand.application.look.value_range = 0.3
    hand.application.gui.panels_visible = False
    hand.application.settings.hint_seen = True
    hand.away()
    hand.settle()


@contextlib.contextmanager
def a_session(*arguments):
    from whitecap.app.session import WindowSession
    from whitecap.app.settings import Settings

    if "--fresh" in arguments:
        Settings.forget()
    session = WindowSession(parse(list(arguments))[1])
    try:
        assert session.open()
        yield session
    finally:
        session.close()


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return condition()
        except (subprocess.CalledProcessError, IndexError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def settle_size(hand, size):
    for _ in range(50):
        hand.turns()
        if hand.application.viewport.size == size:
            return
        time.sleep(0.02)
    pytest.fail(f"the window stayed {hand.application.viewport.size}")
