"""What the flags of the command line ask for, as the objects that they mean."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UsageError, UserError
from .files import require_file, require_place
from .pose import Pose
from .scene import Grid, Scene
from .scenes import find_scene

if TYPE_CHECKING:
    from .application import Application
    from .lab.session import Lab

DEFAULT_SIZE = (1280, 800)


def chosen_scene(options: Namespace, remembered: str = "wave") -> Scene:
    """The scene that `--scene` names, else the remembered one."""
    return find_scene(options.scene or remembered)


def chosen_grid(options: Namespace, scene: Scene, last: Grid | None = None) -> Grid:
    """The scene's grid with what the flags say instead. last: the one of the last run, for what they leave open.

    Flags beside a preset or a file are for that one; see `apply_document`.
    """
    flags = {} if moves_by_itself(options) else grid_flags(options)
    grid = scene.default_grid
    if last is not None:
        sized = {"width", "height"} & flags.keys()  # a width alone has the scene's height, as --help says
        grid = last.with_(width=grid.width, height=grid.height) if sized else last
    return grid.with_(**flags)


def grid_flags(options: Namespace) -> dict[str, int]:
    """What the flags say about the grid."""
    wanted = {"width": options.width, "height": options.height, "substeps": options.substeps}
    return {name: value for name, value in wanted.items() if value is not None}


VIEWS = ("home", "top", "side")


def check_choices(options: Namespace) -> None:
    """Refuses what names nothing, before a window or a context is opened. Raises UserError."""
    if options.file is not None:
        require_file(options.file)
    for place in (options.screenshot, options.json):
        if place is not None:
            require_place(place)
    if options.view is not None and options.view not in VIEWS:
        _pose(options.view)
    if options.preset is not None:
        _preset_index(options.preset)
    if not options.preset and not options.file:
        chosen_grid(options, chosen_scene(options))


def apply_view(application: Application, text: str | None, target: Any) -> None:
    """Puts the camera where `--view` says, at once. A frame that lasts no time shows what panels cover."""
    if text is None:
        return
    application.frame(0.0, target)
    camera = application.stage.camera
    if text in VIEWS:
        getattr(camera, text)()
        camera.update(60.0)
    else:
        camera.pose = _pose(text)


def _pose(text: str) -> Pose:
    try:
        return Pose.parse(text)
    except ValueError as error:
        raise UsageError(f"--view: give home, top, side or a pose; {error}") from error


def moves_by_itself(options: Namespace) -> bool:
    """Whether the flags open something that brings its own motion."""
    return getattr(options, "preset", None) is not None or getattr(options, "file", None) is not None


def apply_document(application: Application, options: Namespace) -> None:
    """Opens the preset or file that the flags name, on the grid that they ask for. Raises UserError."""
    preset, file = getattr(options, "preset", None), getattr(options, "file", None)
    lab = application.lab
    if preset is not None:
        index = _preset_index(preset)
        lab.load(preset) if index is None else lab.open_preset(index)
    elif file is not None and file.suffix == ".wrp":
        application.open_capture(file)
    elif file is not None:
        lab.load(file)
    if application.errors:
        raise UserError(application.errors.entries[-1].text)
    if moves_by_itself(options) and not apply_grid(lab, grid_flags(options)):
        named = " ".join(f"--{name} {value}" for name, value in grid_flags(options).items())
        raise UsageError(f"{named}: {lab.message}")
    application.swap.wait()
    camera = lab.library.document.camera
    if camera and moves_by_itself(options):
        # At once, and only now: the flight to it ended when the basin got its size.
        application.stage.camera.pose = Pose.parse(camera)


def apply_grid(lab: Lab, flags: Mapping[str, int]) -> bool:
    """Puts what was opened on another grid, with its waves; False, with the lab's message, when that is refused.

    A width or a height alone keeps the basin's proportions.
    """
    grid, sides = lab.setup.grid, dict(flags)
    if "width" in flags and "height" not in flags:
        sides["height"] = max(1, round(grid.height * flags["width"] / grid.width))
    elif "height" in flags and "width" not in flags:
        sides["width"] = max(1, round(grid.width * flags["height"] / grid.height))
    try:
        wanted = grid.with_(**sides)
    except UserError as error:
        lab.message = str(error)
        return False
    return wanted == grid or lab.edit(lab.setup.with_grid(wanted), "Grid")


def _preset_index(name: str) -> int | None:
    """Its place in the gallery; None for the path of a file that is there."""
    from .lab.presets import gallery

    names = [preset.name for preset in gallery()]
    if name in names:
        return names.index(name)
    if name.endswith(".toml") and Path(name).exists():
        require_file(Path(name))
        return None
    raise UsageError(f"--preset {name}: no such preset; give the path of a TOML file or one of {', '.join(names)}")
