"""What each action id of the key table does; the lab gets its own ones first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .data_lines import toggle

if TYPE_CHECKING:
    from .application import Application

UI_SCALES = (0.5, 3.0)
UI_SCALE_STEP = 1.1


def perform(application: Application, action: str) -> bool:
    """Does it. False when nobody knows the action."""
    if action != "cancel" and application.lab.perform(action):
        return True
    if action in application.window_actions:
        application.window_actions[action]()
    elif action in _ACTIONS:
        _ACTIONS[action](application)
    else:
        return False
    return True


def _pause(application: Application) -> None:
    application.simulation.paused = not application.simulation.paused


def _step_frame(application: Application) -> None:
    application.simulation.paused = True
    application.step()


def _step_substep(application: Application) -> None:
    if application.simulation.scene.file is not None:
        application.say(f"{application.simulation.scene.name} is a loaded capture: its sub-steps are fixed in the file")
        return
    application.simulation.paused = True
    application.step_substep()


def _lines(name: str) -> Callable[[Application], None]:
    def switch(application: Application) -> None:
        toggle(application, name)

    return switch


def _toggle_data(application: Application) -> None:
    application.look.mode = "data" if application.look.mode == "water" else "water"


def _ui_scale(factor: float) -> Callable[[Application], None]:
    def scale(application: Application) -> None:
        low, high = UI_SCALES
        application.settings.ui_scale = min(max(application.settings.ui_scale * factor, low), high)

    return scale


def _toggle_panels(application: Application) -> None:
    if application.gui is not None:
        application.gui.panels_visible = not application.gui.panels_visible


def _help(application: Application) -> None:
    if application.gui is not None:
        application.gui.help_visible = not application.gui.help_visible


def _use_panels(application: Application) -> None:
    if application.gui is not None:
        application.gui.enter_panels()


def _cancel(application: Application) -> None:
    """Esc: closes the innermost of what is open, else puts down the tool in hand, else quits."""
    if not any(close(application) for close in _CLOSERS):
        application.running = False


def _close_popup(application: Application) -> bool:
    return application.gui is not None and application.gui.close_popup()


def _close_question(application: Application) -> bool:
    if application.gui is None:
        return False
    from .panels.question import dismiss

    return dismiss(application)  # type: ignore[arg-type]


def _close_errors(application: Application) -> bool:
    shown = bool(application.errors)
    application.errors.clear()
    return shown


def _close_help(application: Application) -> bool:
    gui = application.gui
    if gui is None or not gui.help_visible:
        return False
    gui.help_visible = False
    return True


def _leave_panels(application: Application) -> bool:
    return application.gui is not None and application.gui.leave_panels()


def _put_down_tool(application: Application) -> bool:
    return application.lab.perform("cancel")


_CLOSERS = (_close_popup, _close_question, _close_errors, _close_help, _leave_panels, _put_down_tool)
"""From the innermost outwards; each says whether there was anything to close."""


def _quit(application: Application) -> None:
    application.running = False


def _screenshot(with_panels: bool) -> Callable[[Application], None]:
    def take(application: Application) -> None:
        from .screenshot import take_screenshot

        take_screenshot(application, with_panels)

    return take


def _copy_pose(application: Application) -> None:
    if application.gui is not None:
        application.gui.set_clipboard(application.camera_pose())


def _paste_pose(application: Application) -> None:
    if application.gui is not None:
        application.set_camera_pose(application.gui.clipboard())


def _record(application: Application) -> None:
    from .recording import toggle

    toggle(application)


_ACTIONS: dict[str, Callable[[Application], None]] = {
    "pause": _pause,
    "step_frame": _step_frame,
    "step_substep": _step_substep,
    "recapture": lambda application: application.swap.record_again(),
    "use_centre": lambda application: application.use_centre(),
    "view_home": lambda application: application.camera.home(),
    "view_top": lambda application: application.camera.top(),
    "view_side": lambda application: application.camera.side(),
    "frame_all": lambda application: application.camera.frame_all(),
    "copy_pose": _copy_pose,
    "paste_pose": _paste_pose,
    "toggle_data": _toggle_data,
    "toggle_contours": _lines("contours"),
    "toggle_wireframe": _lines("wireframe"),
    "toggle_panels": _toggle_panels,
    "use_panels": _use_panels,
    "ui_larger": _ui_scale(UI_SCALE_STEP),
    "ui_smaller": _ui_scale(1 / UI_SCALE_STEP),
    "help": _help,
    "screenshot": _screenshot(with_panels=True),
    "screenshot_clean": _screenshot(with_panels=False),
    "record": _record,
    "cancel": _cancel,
    "quit": _quit,
}
