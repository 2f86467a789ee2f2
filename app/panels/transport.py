"""The top of the dock: run and step, undo and redo, and the tool in hand."""

from __future__ import annotations

from ..lab.keys import find_action
from ..lab.tools import TOOLS
from .protocol import PanelHost
from .widgets import Row, button, choice, slider

TOOL_NAMES = {"poke": "Poke", "wall": "Wall", "erase": "Erase", "source": "Source", "probe": "Probe"}


def draw(app: PanelHost) -> None:
    """One frame of it."""
    paused = app.simulation.paused
    row = Row(("Pause", "Step", "Sub-step", "Still"))
    command(app, "pause", "Run" if paused else "Pause", row.next(), lit=paused)
    command(app, "step_frame", "Step", row.next())
    recorded = app.simulation.scene.file is not None
    why = "A loaded capture can only be replayed frame by frame." if recorded else ""
    command(app, "step_substep", "Sub-step", row.next(), not recorded, why)
    command(app, "reset_waves", "Still", row.next())
    lab = app.lab
    if lab is None:
        return
    row = Row(("Undo", "Redo", "Reset"))
    command(app, "undo", "Undo", row.next(), bool(lab.history.undo_label), lab.history.undo_label)
    command(app, "redo", "Redo", row.next(), bool(lab.history.redo_label), lab.history.redo_label)
    command(app, "reset_scene", "Reset", row.next())
    row = Row(tuple(TOOL_NAMES.values()))
    for tool in TOOLS:
        action = find_action(f"tool_{tool}")
        if button(TOOL_NAMES[tool], f"{action.help} ({action.chord})", row.next(), lit=lab.tools.tool == tool):
            lab.tools.take(tool)
    _tool_options(app)


def command(
    app: PanelHost,
    action_id: str,
    text: str,
    width: float = 0.0,
    enabled: bool = True,
    detail: str = "",
    lit: bool = False,
) -> None:
    """A button that does what a key does; its tooltip names the key."""
    action = find_action(action_id)
    words = f"{action.help[:1].upper()}{action.help[1:]} ({action.chord})" + (f"\n{detail}" if detail else "")
    if button(f"{text}##{action_id}", words, width, enabled, lit):
        app.perform(action_id)


def _tool_options(app: PanelHost) -> None:
    """What the tool in hand can be set to."""
    lab = app.lab
    assert lab is not None
    tools = lab.tools
    if tools.tool in ("wall", "erase"):
        cells = app.simulation.grid.width
        if tools.tool == "wall":
            kinds = ("reflecting", "absorbing", "slow")
            picked = choice("Kind", tools.wall_kind, kinds, "Reflecting, absorbing, or water that waves cross slowly.")
            if picked is not None:
                tools.wall_kind = picked  # type: ignore[assignment]
            if tools.wall_kind == "slow":
                edit = slider("Speed", tools.wall_speed, 0.1, 1.0, default=0.5, help="Of the open water's wave speed.")
                if edit.changed:
                    tools.wall_speed = edit.value
        edit = slider(
            "Brush",
            tools.wall_width * cells,
            1.0,
            0.3 * cells,
            default=0.03 * cells,
            unit="cells",
            log=True,
            help="Diameter of the brush.",
        )
        if edit.changed:
            tools.wall_width = edit.value / cells
