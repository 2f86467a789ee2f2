"""The keys for contour lines and the wireframe: from the water they lead to the data view, and back."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .application import Application

NAMES = {"contours": "contour lines", "wireframe": "wireframe"}
"""Fields of the look that only the data view shows."""


class Visit:
    """A stay in the data view that one of these keys began. It ends with the lines that were asked for since."""

    def __init__(self, kept: set[str]) -> None:
        self._kept = kept
        self._left: tuple[str, set[str]] | None = None

    def note(self, look: Any) -> None:
        """What the key leaves; any other change of the view is a person's wish to stay."""
        self._left = (str(look.mode), _shown(look))

    def goes_on(self, look: Any) -> bool:
        """Whether nobody changed the view since."""
        return self._left == (str(look.mode), _shown(look))

    def is_over(self, look: Any) -> bool:
        """Whether all lines that were asked for are off again."""
        return _shown(look) <= self._kept


_visits: weakref.WeakKeyDictionary[Application, Visit] = weakref.WeakKeyDictionary()


def toggle(application: Application, name: str) -> None:
    """Lines on or off; in the water they are switched on in the data view, and off they lead back to the water."""
    look, visit = application.look, _visits.pop(application, None)
    if look.mode == "water":
        visit = Visit(_shown(look) - {name})
        look.mode = "data"
        setattr(look, name, True)
        application.say(f"data view with {NAMES[name]}; D shows the water")
    else:
        if visit is not None and not visit.goes_on(look):
            visit = None
        setattr(look, name, not getattr(look, name))
        if visit is not None and visit.is_over(look):
            look.mode = "water"
            application.say("")
            return
    if visit is not None:
        visit.note(look)
        _visits[application] = visit


def _shown(look: Any) -> set[str]:
    return {name for name in NAMES if getattr(look, name)}
