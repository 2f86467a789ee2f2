"""Makes room: the camera is told what the panels leave free, so that the basin stays in the middle of it."""

from __future__ import annotations

import math

from imgui_bundle import imgui

from .protocol import PanelHost
from .state import state_of

SECONDS = 0.08
"""The view follows opening and closing panels with this time constant."""


def make_room(app: PanelHost, left: float, bottom: float) -> None:
    """left, bottom: what panels cover, in logical pixels. A camera in its home pose stays there as the room changes."""
    state, camera = state_of(app), app.camera
    first = state.room is None
    before = state.room or (left, bottom)
    step = 1.0 if first else 1.0 - math.exp(-imgui.get_io().delta_time / SECONDS)
    room = (_towards(before[0], left, step), _towards(before[1], bottom, step))
    size = app.viewport.size
    if not first and (room, size) == (state.room, state.room_of):
        return
    at_home = camera.pose.text() == camera.home_pose().text()
    camera.set_free_area((room[0], 0.0, 0.0, room[1]), size)
    if at_home:
        camera.pose = camera.home_pose()
    state.room, state.room_of = room, size


def _towards(here: float, there: float, step: float) -> float:
    """A step nearer, and there when it is less than half a pixel."""
    nearer = here + step * (there - here)
    return there if abs(there - nearer) < 0.5 else nearer
