"""The window: an OpenGL context, its size and its place on the screen."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import suppress
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from .errors import UserError, ended, one_line
from .interrupt import ending, ending_in_order, uninterrupted
from .lost_keys import LostKeys
from .viewport import Viewport, window_viewport

if TYPE_CHECKING:
    from .settings import Settings

MAX_RATE = 144.0
"""Turns of the loop a second where the display does not hold it back."""
HIDDEN_RATE = 20.0
MINIMUM_SIZE = (240, 180)
SETTLING_TURNS = 3
"""Turns of the loop in which the cursor's events may still be counted from where the window stood before."""


class NoDisplay(UserError):
    """There is no display to open a window on."""


class Window:
    """A resizable OpenGL 3.3 window; `listen` sends its events to a `WindowEvents`.

    Raises NoDisplay where there is no display, GLUnavailable where it lacks OpenGL 3.3.
    """

    def __init__(self, settings: Settings, size: tuple[int, int] | None = None, shown: bool = True) -> None:
        """size: logical pixels, else what the settings remember. shown: whether it appears on the screen."""
        require_display()
        self._pyglet = _import_pyglet()
        from .gl_context import spare_full_disk, window_context

        spare_full_disk()
        self._native = self._open(*(size or (settings.window_width, settings.window_height)), shown)
        self._native.set_minimum_size(*MINIMUM_SIZE)
        self._lost_keys = LostKeys(self._native)
        self.visible = True
        self.moves = 0
        """How often it has moved, changed its size or been replaced."""
        self._place: tuple[int, ...] = ()
        self._settling = 0
        if size is None and settings.window_x is not None and settings.window_y is not None:
            self._native.set_location(settings.window_x, settings.window_y)
        self.context = window_context()

    def viewport(self) -> Viewport:
        """The drawing area now; empty while the window is hidden."""
        return window_viewport(self._native) if self.visible else Viewport(0, 0)

    @property
    def target(self) -> Any:
        """The framebuffer that the window shows."""
        return self.context.screen

    def listen(self, handlers: Any) -> None:
        """Takes the methods of `handlers` that are named like pyglet's events."""
        self._native.push_handlers(handlers)

    def pump(self) -> None:
        """Delivers the events that came since the last call; a signal that asks to end is the close button's."""
        self._native.switch_to()
        self._watch_place()
        self._native.dispatch_events()
        self._lost_keys.release()
        if ending.asked:
            self._native.dispatch_event("on_close")

    @property
    def settled(self) -> bool:
        """Whether it stands where it stood in the last turns; else the cursor may jump though no hand moved it."""
        return self._settling == 0

    def show(self) -> None:
        """Puts what was drawn on the screen."""
        if self.visible:
            self._native.flip()

    def clear(self, colour: tuple[float, float, float]) -> None:
        """Fills the whole window."""
        self.context.screen.viewport = (0, 0, *self.viewport().framebuffer)
        self.context.screen.use()
        self.context.clear(*colour)

    def set_title(self, text: str) -> None:
        self._native.set_caption(text)

    def toggle_full_screen(self) -> None:
        """Full screen on or off; the GL context stays the same."""
        self._native.set_fullscreen(not self._native.fullscreen)
        self._native.switch_to()
        # It is another window for X: without a window manager nobody hands it the keyboard of the one before.
        self._native.activate()
        self._lost_keys.watch()
        self._move()

    def clipboard(self) -> str:
        with suppress(Exception):
            return str(self._native.get_clipboard_text())
        return ""

    def set_clipboard(self, text: str) -> None:
        with suppress(Exception):
            self._native.set_clipboard_text(text)

    def remember(self, settings: Settings) -> None:
        """Notes the window's place and size in the settings."""
        if self._native.fullscreen or not self.visible:
            return
        width, height = self._native.get_size()
        if width >= MINIMUM_SIZE[0] and height >= MINIMUM_SIZE[1]:
            settings.window_width, settings.window_height = width, height
            settings.window_x, settings.window_y = (int(v) for v in self._native.get_location())

    def close(self) -> None:
        """Closes the window and its context."""
        _ = self.context.error  # pyglet would raise what is still pending
        self._native.close()

    def _watch_place(self) -> None:
        place = (*self._native.get_size(), *self._native.get_location())
        if place != self._place:
            self._place = place
            self._move()
        elif self._settling:
            self._settling -= 1

    def _move(self) -> None:
        self.moves += 1
        self._settling = SETTLING_TURNS

    def _open(self, width: int, height: int, shown: bool) -> Any:
        gl, window = self._pyglet.gl, self._pyglet.window
        common = {"double_buffer": True, "major_version": 3, "minor_version": 3, "forward_compatible": True}
        failure: Exception | None = None
        for extra in ({"depth_size": 24}, {}):
            try:
                config = gl.Config(**common, **extra)
                return window.Window(
                    width, height, "Whitecap", resizable=True, vsync=True, visible=shown, config=config
                )
            except Exception as error:  # of many kinds: the display, GLX, the driver, missing functions
                if _is_about_the_display(error):
                    raise NoDisplay(f"no display (DISPLAY={os.environ.get('DISPLAY')} cannot be reached)") from error
                failure = error
        from .gl_context import GLUnavailable

        raise GLUnavailable(f"the window: {_what_failed(failure)}, or run with --offscreen") from failure


def _what_failed(failure: Exception | None) -> str:
    """What this display lacks and what to do about it. Pyglet's exceptions often have no text."""
    if type(failure).__name__ == "NoSuchConfigException":
        return "this display cannot show OpenGL (its X server has no GLX, or none that fits); start one with GLX"
    said = f" ({one_line(failure)})" if failure is not None and str(failure).strip() else ""
    return f"this display offers no OpenGL 3.3{said}; update the graphics driver"


def _is_about_the_display(error: Exception) -> bool:
    """Pyglet has several exceptions of that name, in modules that differ by system."""
    return any(base.__name__ == "NoSuchDisplayException" for base in type(error).__mro__)


class Clock:
    """Seconds between turns of the loop, and a brake for displays that do not hold it back."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def tick(self, rate: float) -> float:
        """Waits until `rate` allows the next turn; seconds since the last one, at most a quarter."""
        rest = self._last + 1.0 / rate - perf_counter()
        if rest > 0:
            sleep(rest)
        now = perf_counter()
        elapsed, self._last = now - self._last, now
        return min(elapsed, 0.25)


def require_display() -> None:
    """Raises NoDisplay where a window is known to be impossible, before anything heavy is loaded."""
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise NoDisplay("no display (DISPLAY is not set)")


def run(options: Namespace) -> int:
    """Opens the window and runs the application until it is closed, or a signal asks to end."""
    require_display()
    with uninterrupted():
        from .session import run_in_window

    with ending_in_order() as end:
        code = run_in_window(options)
    return ended(end.signal) if end.signal is not None else code


def _import_pyglet() -> Any:
    import pyglet

    pyglet.options.shadow_window = False
    pyglet.options.debug_gl = False  # it asks for errors after every call of its own
    try:
        import pyglet.display
        import pyglet.gl
        import pyglet.window
    except ImportError as error:
        raise NoDisplay(
            f"no display: {one_line(error)}; install OpenGL with: apt-get install libgl1 libglu1-mesa libx11-6"
        ) from error
    return pyglet
