"""The key table: every action, the key that starts it and the words the help overlay shows for it.

Letters and named keys are matched by key name (as pyglet spells it), which follows the keyboard's layout. Signs and
digits are matched by the character typed, so `?`, `+`, `.` and `1` work wherever a layout puts them. Where a layout has
no Latin letters, a key stands for what a US keyboard has at its place (key_places.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

MODIFIERS = ("ctrl", "alt", "shift")
"""In the order labels show them. ctrl stands for the command key on a Mac."""


@dataclass(frozen=True)
class Action:
    """One thing a key does.

    key: a key name ("SPACE", "R", "F11"), or empty. text: the character typed instead of a key name, or empty.
    hold: active from press to release (camera motion) rather than once a press.
    While a person types into a field nothing fires, except actions with `always`.
    """

    id: str
    label: str
    section: str
    help: str
    key: str = ""
    text: str = ""
    modifiers: frozenset[str] = frozenset()
    hold: bool = False
    always: bool = False

    def started_by(self, key: str, modifiers: Iterable[str]) -> bool:
        """Whether that key with those modifiers (others do not count) is this action's."""
        return self.key == key and self.modifiers == frozenset(modifiers) & frozenset(MODIFIERS)

    @property
    def chord(self) -> str:
        """How the key is written for a person: "Ctrl+Shift+Z", "Space", "?"."""
        if self.text:
            return self.text
        names = [name.capitalize() for name in MODIFIERS if name in self.modifiers]
        return "+".join([*names, KEY_LABELS.get(self.key, self.key.capitalize() if len(self.key) > 3 else self.key)])


KEY_LABELS = {
    "SPACE": "Space",
    "TAB": "Tab",
    "RETURN": "Enter",
    "ESCAPE": "Esc",
    "LEFT": "Left",
    "RIGHT": "Right",
    "UP": "Up",
    "DOWN": "Down",
    "PAGEUP": "PgUp",
    "PAGEDOWN": "PgDn",
    "BACKSPACE": "Backspace",
    "DELETE": "Del",
}

CTRL = frozenset({"ctrl"})
SHIFT = frozenset({"shift"})
CTRL_SHIFT = frozenset({"ctrl", "shift"})
CTRL_ALT = frozenset({"ctrl", "alt"})

PRESET_KEYS = 9
"""How many presets have a digit of their own."""


def _table() -> tuple[Action, ...]:
    time, scene, edit, view, window = "Time", "Scene", "Edit", "Camera", "Window"
    return (
        Action("pause", "Pause", time, "stop and go on", key="SPACE"),
        Action("step_frame", "Step a frame", time, "one frame, then stop", text="."),
        Action("step_substep", "Step a sub-step", time, "one solver step, then stop", text=","),
        Action("slower", "Slower", time, "halve the time scale", text="["),
        Action("faster", "Faster", time, "double the time scale", text="]"),
        Action("reset_waves", "Still water", time, "still water, same scene", key="R"),
        Action("reset_scene", "Reset the scene", scene, "the scene as it was opened", key="R", modifiers=SHIFT),
        Action("restore", "Last good state", scene, "back to the last good state", key="G"),
        *(
            Action(f"preset_{n}", f"Preset {n}", scene, f"open preset {n} of the gallery", text=str(n))
            for n in range(1, PRESET_KEYS + 1)
        ),
        Action("preset_next", "Next preset", scene, "next preset", key="N"),
        Action("preset_previous", "Previous preset", scene, "previous preset", key="N", modifiers=SHIFT),
        Action("open", "Open", scene, "open a scene or a capture", key="O", modifiers=CTRL),
        Action("save", "Save", scene, "save the scene", key="S", modifiers=CTRL),
        Action("copy_scene", "Copy the scene", scene, "copy the scene as text", key="C", modifiers=CTRL_SHIFT),
        Action("paste_scene", "Paste a scene", scene, "open the scene in the clipboard", key="V", modifiers=CTRL_SHIFT),
        Action("undo", "Undo", edit, "undo the last edit", key="Z", modifiers=CTRL),
        Action("redo", "Redo", edit, "redo it", key="Z", modifiers=CTRL_SHIFT),
        Action("redo_too", "Redo", edit, "redo it", key="Y", modifiers=CTRL),
        Action("tool_poke", "Poke", edit, "tool: ripples", key="P"),
        Action("tool_wall", "Draw walls", edit, "tool: draw walls", key="W"),
        Action("tool_erase", "Erase walls", edit, "tool: erase walls", key="E"),
        Action("tool_source", "Place a source", edit, "tool: place and drag sources", key="O"),
        Action("tool_probe", "Place a probe", edit, "tool: place and drag probes", key="M"),
        Action("delete", "Delete", edit, "delete the selected source or probe", key="DELETE"),
        Action("brush_smaller", "Smaller brush", edit, "smaller brush", key="B", modifiers=SHIFT),
        Action("brush_larger", "Larger brush", edit, "larger brush", key="B"),
        Action("use_centre", "Use at the centre", edit, "use the tool at the view's centre", key="RETURN"),
        Action("orbit_left", "Orbit left", view, "turn the camera", key="LEFT", hold=True),
        Action("orbit_right", "Orbit right", view, "turn the camera", key="RIGHT", hold=True),
        Action("orbit_up", "Orbit up", view, "raise the camera", key="UP", hold=True),
        Action("orbit_down", "Orbit down", view, "lower the camera", key="DOWN", hold=True),
        Action("pan_left", "Pan left", view, "slide the view", key="LEFT", modifiers=SHIFT, hold=True),
        Action("pan_right", "Pan right", view, "slide the view", key="RIGHT", modifiers=SHIFT, hold=True),
        Action("pan_up", "Pan away", view, "slide the view", key="UP", modifiers=SHIFT, hold=True),
        Action("pan_down", "Pan nearer", view, "slide the view", key="DOWN", modifiers=SHIFT, hold=True),
        Action("zoom_in", "Zoom in", view, "zoom in", key="PAGEUP", hold=True),
        Action("zoom_out", "Zoom out", view, "zoom out", key="PAGEDOWN", hold=True),
        Action("view_home", "Home view", view, "the view at the start", key="H"),
        Action("view_top", "Top view", view, "from straight above", key="T"),
        Action("view_side", "Side view", view, "along the surface", key="S"),
        Action("frame_all", "Frame all", view, "the whole basin in view", key="F"),
        Action("copy_pose", "Copy the pose", view, "copy the camera's pose", key="C", modifiers=CTRL_ALT),
        Action("paste_pose", "Paste a pose", view, "paste a pose", key="V", modifiers=CTRL_ALT),
        Action("toggle_data", "Water or data", view, "water or colour map", key="D"),
        Action("toggle_contours", "Contours", view, "contour lines of the data view", key="C"),
        Action("toggle_wireframe", "Wireframe", view, "the grid's lines in the data view", key="X"),
        Action("toggle_panels", "Panels", window, "panels on or off", key="TAB"),
        Action(
            "use_panels",
            "Keys to the panels",
            window,
            "keyboard into the panels",
            key="TAB",
            modifiers=CTRL,
            always=True,
        ),
        Action("full_screen", "Full screen", window, "full screen on or off", key="F11", always=True),
        Action("screenshot", "Screenshot", window, "picture of the window", key="F12", always=True),
        Action(
            "screenshot_clean",
            "Clean screenshot",
            window,
            "picture without panels",
            key="F12",
            modifiers=SHIFT,
            always=True,
        ),
        Action("record", "Record", window, "start or end a film", key="F9"),
        Action("ui_larger", "Larger text", window, "larger panels", text="+"),
        Action("ui_smaller", "Smaller text", window, "smaller panels", text="-"),
        Action("help", "Help", window, "all keys", text="?"),
        Action("help_too", "Help", window, "all keys", key="F1", always=True),
        Action("cancel", "Quit", window, "close what is open, put down the tool, or quit", key="ESCAPE"),
        Action("quit", "Quit", window, "quit", key="Q", modifiers=CTRL),
    )


KEYS: tuple[Action, ...] = _table()

ALIASES = {"redo_too": "redo", "help_too": "help"}
"""Second keys for the same thing: their ids are reported as the first's."""

KEY_ALIASES = {"ENTER": "RETURN", "NUM_ENTER": "RETURN", "MOTION_DELETE": "DELETE", "NUM_DELETE": "DELETE"}
"""Names that pyglet gives to keys that a person takes for the same one."""


def find_action(action_id: str, table: Sequence[Action] = KEYS) -> Action:
    """The action of that id. Raises KeyError for an unknown one."""
    for action in table:
        if action.id == action_id:
            return action
    raise KeyError(f"no action {action_id!r} in the key table")


def sections(table: Sequence[Action] = KEYS) -> dict[str, list[tuple[str, str]]]:
    """The help overlay's text: for each section (chord, words), digits and arrow keys folded into one line each."""
    pages: dict[str, list[tuple[str, str]]] = {}
    for action in table:
        lines = pages.setdefault(action.section, [])
        chord, words = action.chord, action.help[:1].upper() + action.help[1:]
        if action.id.startswith("preset_") and action.text:
            if action.text != "1":
                continue
            chord, words = f"1 .. {PRESET_KEYS}", "Open a preset of the gallery"
        elif action.hold and action.id.startswith(("orbit_", "pan_")):
            verb = action.id.split("_")[0]
            if not action.id.endswith("_left"):
                continue
            chord = ("Shift+" if verb == "pan" else "") + "Arrows"
            words = "Turn the camera" if verb == "orbit" else "Slide the view"
        elif action.id in ALIASES:
            continue
        also = [other.chord for other in table if ALIASES.get(other.id) == action.id]
        lines.append((", ".join([chord, *also]), words))
    return pages


@dataclass
class Shortcuts:
    """Turns key events into action ids, and knows which held actions are active.

    Deliver every release, whatever has the keyboard, and call `release_all` when the window loses focus: no key sticks.
    """

    table: Sequence[Action] = KEYS
    _held: dict[str, str] = field(default_factory=dict)  # key name -> action id

    @property
    def held(self) -> set[str]:
        """Ids of the hold actions whose key is down."""
        return set(self._held.values())

    def press(self, key: str, modifiers: Iterable[str] = (), typing: bool = False) -> str | None:
        """The id of the action that this key press starts, or None. typing: a text field has the keyboard."""
        key = KEY_ALIASES.get(key, key)
        held = frozenset(modifiers)
        for action in self.table:
            if action.started_by(key, held) and (action.always or not typing):
                if action.hold:
                    self._held[key] = action.id
                return ALIASES.get(action.id, action.id)
        return None

    def text(self, character: str, typing: bool = False) -> str | None:
        """The id of the action that this typed character starts, or None."""
        for action in self.table:
            if action.text == character and character and (action.always or not typing):
                return ALIASES.get(action.id, action.id)
        return None

    def release(self, key: str) -> None:
        """A key came up."""
        self._held.pop(KEY_ALIASES.get(key, key), None)

    def release_all(self) -> None:
        """Focus is lost or a dialog opened: nothing is held any more."""
        self._held.clear()
