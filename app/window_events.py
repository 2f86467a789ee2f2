"""Pyglet's events for the application: positions from the top left, buttons and keys by name, ImGui fed first."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .lab.key_places import letter_at, sign_at
from .lab.keys import find_action

if TYPE_CHECKING:
    from .gui import Gui
    from .pointer import Button
    from .window import Window

EVENT_HANDLED = True
NAVIGATION_KEYS = ("SPACE", "RETURN", "ENTER", "LEFT", "RIGHT", "UP", "DOWN", "TAB")
OWN_KEYS = (*NAVIGATION_KEYS, "ESCAPE")
"""Keys with a meaning of their own here: ImGui gets them only while the panels have the keyboard, or a text field."""


class WindowEvents:
    """Handlers for `Window.listen`. application: None until there is one; only the close button works till then."""

    def __init__(self, window: Window, gui: Gui) -> None:
        self._window = window
        self._gui = gui
        self.application: Any = None
        self.closed = False
        from pyglet.window import key, mouse

        self._key = key
        self._buttons: dict[int, Button] = {mouse.LEFT: "left", mouse.RIGHT: "right", mouse.MIDDLE: "middle"}
        self._down: set[Button] = set()
        self._moves_seen = 0
        self._pressed_place, self._pressed_with_shift = 0, False

    # ---- mouse

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        for button in list(self._down):  # with a button down this were a drag: its release went to another window
            self._release(button)
        self._move(x, y)

    def on_mouse_drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> None:
        self._move(x, y)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        name = self._buttons.get(button)
        if name is None:
            return
        position = self._move(x, y)
        self._down.add(name)
        self._gui.button(name, True, position)
        if self.application is not None:
            shift = bool(modifiers & self._key.MOD_SHIFT)
            self.application.pointer.press(*position, name, shift, self._gui.covers(*position))

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        name = self._buttons.get(button)
        if name is None:
            return
        self._move(x, y)
        self._release(name)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        position = self._move(x, y)
        self._gui.scroll(scroll_x, scroll_y)
        if self.application is not None:
            self.application.pointer.scroll(scroll_y, self._gui.covers(*position))

    def on_mouse_leave(self, x: float, y: float) -> None:
        if self._down:
            return
        self._gui.leave()
        if self.application is not None:
            self.application.pointer.leave()

    # ---- keyboard

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        name, held = self._name(symbol), self._modifiers(modifiers)
        self._pressed_place, self._pressed_with_shift = _place(symbol), "shift" in held
        taken = self._gui.typing or (self._gui.navigating and name in NAVIGATION_KEYS)
        # Else an arrow would turn the camera and move in the panels as well.
        if taken or name not in OWN_KEYS or find_action("use_panels").started_by(name, held):
            self._gui.key(name, True, held)
        if self.application is not None:
            self.application.key_press(name, held, taken)
        elif name == "ESCAPE":
            self.closed = True
        return EVENT_HANDLED  # pyglet would close the window on Esc

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        name = self._name(symbol)
        self._gui.key(name, False, self._modifiers(modifiers))
        if self.application is not None:
            self.application.key_release(name)

    def on_text(self, text: str) -> None:
        if not text.isprintable():
            return
        typing = self._gui.typing
        self._gui.text(text)
        if self.application is not None:
            sign = sign_at(self._pressed_place, text, self._pressed_with_shift)
            self.application.key_text(sign or text, typing)

    # ---- window

    def on_deactivate(self) -> None:
        """The focus went away, perhaps in the middle of a drag: everything is let go of."""
        for button in list(self._down):
            self._gui.button(button, False)
        self._down.clear()
        self._gui.focus(False)
        if self.application is not None:
            self.application.focus_lost()

    def on_activate(self) -> None:
        self._gui.focus(True)

    def on_hide(self) -> None:
        self._window.visible = False

    def on_show(self) -> None:
        self._window.visible = True

    def on_close(self) -> bool:
        self.closed = True
        return EVENT_HANDLED

    def _move(self, x: float, y: float) -> tuple[float, float]:
        # Pyglet counts pixels from the bottom; half a pixel in is the pixel's centre.
        position = (x + 0.5, self._window.viewport().height - y - 0.5)
        self._gui.move(*position)
        if self.application is not None:
            pointer = self.application.pointer
            (pointer.jump if self._window_moved() else pointer.move)(*position)
        return position

    def _window_moved(self) -> bool:
        """Whether the window moved under the cursor since its last event: then this one tells of no hand."""
        before, self._moves_seen = self._moves_seen, self._window.moves
        return before != self._moves_seen or not self._window.settled

    def _release(self, button: Button) -> None:
        self._down.discard(button)
        self._gui.button(button, False)
        if self.application is not None:
            self.application.pointer.release(button)

    def _name(self, symbol: int) -> str:
        """Pyglet's name of a key; of one whose letter pyglet does not know, the Latin letter at its place."""
        return letter_at(_place(symbol)) or str(self._key.symbol_string(symbol))

    def _modifiers(self, modifiers: int) -> set[str]:
        key = self._key
        names = {"ctrl": key.MOD_ACCEL, "shift": key.MOD_SHIFT, "alt": key.MOD_ALT}
        return {name for name, bit in names.items() if modifiers & bit}


def _place(symbol: int) -> int:
    """X11's number of a key that pyglet has no name for; 0 for every other one, and on other systems."""
    return symbol >> 32 if sys.platform.startswith("linux") else 0
