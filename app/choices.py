"""What the flags of the command line ask for, as the objects that they mean."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from .errors import UserError
from .scene import Grid, Scene
from .scenes import find_scene

if TYPE_CHECKING:
    from .application import Application

DEFAULT_SIZE = (1280, 800)


def chosen_scene(options: Namespace, remembered: str = "wave") -> Scene:
    """The scene that `--scene` names, else the remembered one."""
    return find_scene(options.scene or remembered)


def chosen_grid(options: Namespace, scene: Scene) -> Grid:
    """The scene's grid with what the flags say instead."""
    wanted = {"width": options.width, "height": options.height, "substeps": options.substeps}
    return scene.default_grid.with_(**{name: value for name, value in wanted.items() if value is not None})


def apply_view(application: Application, text: str | None, target: Any) -> None:
    """Puts the camera where `--view` says, at once. A frame that lasts no time shows what panels cover."""
    from .camera import Pose

    if text is None:
        return
    application.frame(0.0, target)
    camera = application.stage.camera
    named = {"home": camera.home, "top": camera.top, "side": camera.side}
    if text in named:
        named[text]()
        camera.update(60.0)
        return
    try:
        camera.pose = Pose.parse(text)
    except ValueError as error:
        raise UserError(f"--view: give home, top, side or a pose; {error}") from error


def moves_by_itself(options: Namespace) -> bool:
    """Whether the flags open something that brings its own motion."""
    return getattr(options, "preset", None) is not None or getattr(options, "file", None) is not None


def apply_document(application: Application, options: Namespace) -> None:
    """Opens the preset or file that the flags name; UserError when that is not possible."""
    preset, file = getattr(options, "preset", None), getattr(options, "file", None)
    if preset is not None:
        _open_preset(application, preset)
    elif file is not None and file.suffix == ".wrp":
        application.open_capture(file)
    elif file is not None and application.lab is not None:
        application.lab.load(file)
    if application.errors:
        raise UserError(application.errors.entries[-1].text)
    application.swap.wait()


def _open_preset(application: Application, name: str) -> None:
    lab = application.lab
    presets = lab.presets if lab is not None else []
    names = [preset.name for preset in presets]
    if name in names and lab is not None:
        lab.open_preset(names.index(name))
    elif name.endswith(".toml") and lab is not None:
        lab.load(name)
    else:
        raise UserError(f"--preset {name}: no such preset; give the path of a TOML file or one of {', '.join(names)}")
