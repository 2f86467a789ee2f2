"""Who owns the mouse: decided when a button goes down, kept until it comes up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from .brush import Stroke

if TYPE_CHECKING:
    from .application import Application

Button = Literal["left", "right", "middle"]
Owner = Literal["gui", "tool", "poke", "orbit", "pan"]


class Pointer:
    """Turns presses, drags and releases into what they mean. Pixels are logical, origin top left, y down."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self.position: tuple[float, float] | None = None
        self.owner: Owner | None = None
        self.touched = False
        """Whether a button was ever pressed outside the panels."""
        self._button: Button | None = None
        self._jumped = False

    def move(self, x: float, y: float) -> None:
        """The mouse is at (x, y), whether a button is down or not."""
        before, self.position = self.position, (x, y)
        if before is None:
            return
        dx, dy = x - before[0], y - before[1]
        application = self._application
        if self.owner == "orbit":
            application.stage.camera.orbit(dx, dy)
        elif self.owner == "pan":
            application.stage.camera.pan(dx, dy, application.viewport.size)
        elif self.owner == "poke":
            self.poke()
        elif self.owner == "tool":
            self._use_tool(x, y)

    def jump(self, x: float, y: float) -> None:
        """The cursor is at (x, y) because the window moved, not a hand: a drag goes on from there by its next move."""
        self.position, self._jumped = (x, y), True
        self.lift()

    def press(self, x: float, y: float, button: Button, shift: bool, gui_wants: bool) -> Owner | None:
        """A button goes down. gui_wants: a panel is under the cursor. Returns who owns what follows."""
        self.position = (x, y)
        if self.owner is not None:
            return self.owner
        self._jumped = False
        self.owner, self._button = self._decide(x, y, button, shift, gui_wants), button
        self.touched = self.touched or self.owner != "gui"
        if self.owner == "poke":
            self.poke()
        return self.owner

    def release(self, button: Button) -> None:
        """A button comes up; only the one that started the drag ends it."""
        if button == self._button:
            self.cancel()

    def cancel(self) -> None:
        """Ends any drag: the button came up, or the window lost the focus."""
        owner, self.owner, self._button = self.owner, None, None
        if owner == "poke":
            self._application.simulation.release()
        elif owner == "tool":
            self._application.lab.release()

    def lift(self) -> None:
        """The brush comes down anew where the cursor is: the cells under it are others than in the last frame."""
        if self.owner == "poke":
            self._application.simulation.stroke = Stroke()

    def leave(self) -> None:
        """The mouse left the window; a drag goes on."""
        if self.owner is None:
            self.position = None

    def scroll(self, steps: float, gui_wants: bool) -> None:
        """The wheel: zooms towards what is under the cursor. steps > 0 comes closer."""
        if gui_wants or self.owner == "gui":
            return
        application = self._application
        hit = application.pick_hit(*self.position) if self.position else None
        point = np.array(hit.point) if hit else None
        application.stage.camera.zoom(steps, self.position, application.viewport.size, point)

    def poke(self) -> None:
        """Puts the brush down where the cursor meets the surface; off the surface it is lifted."""
        cell = self._application.pick(*self.position) if self.position else None
        if cell is None:
            self._application.simulation.release()
        else:
            self._application.simulation.poke(*cell)

    def _use_tool(self, x: float, y: float) -> None:
        lab, cell = self._application.lab, self._application.pick(x, y)
        if cell is None:
            return
        if self._jumped and lab.tools.brushes:
            lab.release()  # no straight line between the two places: another stroke
            lab.press(*cell)
        else:
            lab.drag(*cell)
        self._jumped = False

    def _decide(self, x: float, y: float, button: Button, shift: bool, gui_wants: bool) -> Owner:
        if gui_wants:
            return "gui"
        if button == "middle" or (button == "right" and shift):
            return "pan"
        if button == "right":
            return "orbit"
        cell = self._application.pick(x, y)
        if cell is not None and self._application.lab.press(*cell):
            return "tool"
        return "poke"
