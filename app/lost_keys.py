"""Keys that came up while no window could hear it: pyglet would take their next press for a repetition."""

from __future__ import annotations

from typing import Any


class LostKeys:
    """Watches a pyglet window on X11 after its X window was replaced; elsewhere there is nothing to do."""

    def __init__(self, window: Any) -> None:
        self._window = window
        self._watching = False

    def watch(self) -> None:
        """The X window was replaced: the release of what is held now may be lost."""
        self._watching = hasattr(self._window, "pressed_keys")

    def release(self) -> None:
        """Once no key is down any more, those that still count as pressed are released."""
        if not self._watching or _a_key_is_down(self._window):
            return
        self._watching = False
        for symbol in list(self._window.pressed_keys):
            self._window.dispatch_event("on_key_release", symbol, 0)
        self._window.pressed_keys.clear()


def _a_key_is_down(window: Any) -> bool:
    """Asks the X server, one bit a key."""
    import ctypes

    from pyglet.libs.x11 import xlib

    keys = (ctypes.c_char * 32)()
    xlib.XQueryKeymap(window._x_display, keys)
    return any(keys.raw)
