"""What the actions of the key table mean to the laboratory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Lab

BRUSH_STEP = 1.25


def perform(lab: Lab, action: str) -> bool:
    """Does what an action id means; False when it is not the laboratory's."""
    number = action.removeprefix("preset_")
    if number != action and number.isdecimal():
        lab.library.open_preset(int(number) - 1)
    elif action.startswith("tool_"):
        lab.tools.take(action.removeprefix("tool_"))
    elif action == "cancel":
        return lab.tools.put_down()
    elif action in _COMMANDS:
        _COMMANDS[action](lab)
        lab.seal()
    else:
        return False
    return True


_COMMANDS: dict[str, Callable[[Lab], object]] = {
    "undo": lambda lab: lab.undo(),
    "redo": lambda lab: lab.redo(),
    "reset_waves": lambda lab: lab.reset_waves(),
    "reset_scene": lambda lab: lab.reset_scene(),
    "restore": lambda lab: lab.restore(),
    "slower": lambda lab: lab.set_time_scale(lab.setup.time_scale / 2),
    "faster": lambda lab: lab.set_time_scale(lab.setup.time_scale * 2),
    "preset_next": lambda lab: lab.library.next_preset(1),
    "preset_previous": lambda lab: lab.library.next_preset(-1),
    "open": lambda lab: lab.library.ask_what_to_open(),
    "save": lambda lab: lab.library.save_again(),
    "copy_scene": lambda lab: lab.library.copy(),
    "paste_scene": lambda lab: lab.library.paste(),
    "delete": lambda lab: lab.tools.delete_selected(),
    "brush_smaller": lambda lab: lab.tools.scale_brush(1 / BRUSH_STEP),
    "brush_larger": lambda lab: lab.tools.scale_brush(BRUSH_STEP),
}
