"""The scene of the last run: what is remembered of it in the settings, and how it comes back."""

from __future__ import annotations

import inspect
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import scenes
from .choices import apply_grid, chosen_grid, chosen_scene, grid_flags, moves_by_itself
from .errors import UserError, notice, one_line
from .files import require_file
from .lab.unsaved import unsaved_path
from .messages import counted
from .scene import Grid, Scene

if TYPE_CHECKING:
    from .application import Application
    from .settings import Settings

DEFAULT = scenes.BUILT_IN[0]


@dataclass(frozen=True)
class Start:
    """What to open first.

    recalled: it is the scene of the last run; when it fails `without_memory` is opened instead. trouble: one line on
    what did not come back, or empty.
    """

    scene: Scene
    grid: Grid
    recalled: bool = False
    trouble: str = ""


def first_scene(options: Namespace, settings: Settings) -> Start:
    """The scene that the flags name, else the one of the last run.

    A scene file that is remembered is one that this user ran, so its Python is run again.
    """
    if options.scene or moves_by_itself(options):
        return without_memory(options)
    try:
        scene = chosen_scene(options, settings.scene)
        last = None if settings.file or settings.preset else _last_grid(scene.default_grid, settings)
        return Start(scene, chosen_grid(options, scene, last), recalled=True)
    except (Exception, SystemExit) as error:  # of any kind: the file is the user's, and may have changed
        return without_memory(options, error)


def without_memory(options: Namespace, failure: BaseException | None = None) -> Start:
    """The scene that the flags name or the default one. failure: why the last one does not come back."""
    scene = chosen_scene(options)
    return Start(scene, chosen_grid(options, scene), trouble=trouble(failure) if failure is not None else "")


def trouble(failure: object) -> str:
    """The line for the status line."""
    reason = one_line(failure).removeprefix("--scene ") or type(failure).__name__
    return f"the last scene did not come back ({reason}); this is the default one"


def reopen(application: Application, settings: Settings, options: Namespace) -> bool:
    """Shows the file or preset of the last run on top of its scene; whether it did.

    Flags for the grid count for it too. What is gone or fails is said in the status line.
    """
    try:
        shown = _show(application, settings)
    except Exception as error:
        application.errors.clear()  # said in the status line instead
        application.say(trouble(error))
        if _source_of(application.simulation.scene) != DEFAULT:
            application.open_scene(DEFAULT)
        return False
    flags = grid_flags(options)
    if shown and flags:
        apply_grid(application.lab, flags)
    elif not shown and not flags:
        _steady(application)
    return shown


def _show(application: Application, settings: Settings) -> bool:
    """Raises what opening raises."""
    lab = application.lab
    if settings.file:
        path = Path(settings.file)
        require_file(path)
        if path.suffix == ".wrp":
            application.open_capture(path)
        elif not lab.load(path):
            raise UserError(application.errors.entries[-1].text)
        return True
    if not settings.preset:
        return False
    names = [preset.name for preset in lab.presets]
    if settings.preset not in names:
        raise UserError(f"there is no preset {settings.preset} any more")
    lab.open_preset(names.index(settings.preset))
    last = _last_grid(lab.setup.grid, settings)
    if last != lab.setup.grid:
        lab.show(lab.setup.with_grid(last))
    return True


def _steady(application: Application) -> None:
    """The grid of the last run may have been steady with other parameters only."""
    lab, usual = application.lab, application.simulation.scene.default_grid
    scheme = lab.scheme
    if scheme is not None and not scheme.stable and scheme.substeps != usual.substeps:
        lab.show(lab.setup.with_(grid=lab.setup.grid.with_(substeps=usual.substeps)))
        few = counted(scheme.substeps, "sub-step")
        application.say(f"{few} of the last run would be unstable now: these are {usual.substeps}")


def tell_of_unsaved(application: Application, settings: Settings) -> None:
    """The status line says where the last run left what was drawn and not saved, unless it has more to say."""
    if settings.unsaved and unsaved_path().is_file() and not application.message:
        application.say(f"what was drawn last time and not saved is in {unsaved_path()}")


def remember(application: Application, settings: Settings) -> None:
    """Notes what is shown for the next run, and keeps what was drawn and not saved."""
    scene, lab = application.simulation.scene, application.lab
    file = scene.file or lab.library.path
    settings.scene = _source_of(scene)
    settings.file = str(file.resolve()) if file is not None else ""
    if lab.library.preset_index is None or file is not None:
        settings.preset = ""
    # What is wished and still being captured counts, unless it is another scene.
    grid = lab.setup.grid if settings.preset or lab.setup.scene == scene.name else application.simulation.grid
    usual = lab.library.document.setup.grid if settings.preset else scene.default_grid
    kept = file is None and (*grid.shape, grid.substeps) != (*usual.shape, usual.substeps)
    settings.grid_width, settings.grid_height = (grid.width, grid.height) if kept else (0, 0)
    settings.substeps = grid.substeps if kept else 0
    settings.unsaved = keep_unsaved(application)


def keep_unsaved(application: Application) -> bool:
    """Keeps what was drawn and not saved, with one line of notice; whether there was any."""
    try:
        kept = application.lab.library.keep_unsaved()
    except UserError as error:
        notice(f"what was drawn and not saved is lost: {one_line(error)}")
        return False
    if kept is not None:
        notice(f"what was drawn and not saved is in {kept}")
    return kept is not None


def _source_of(scene: Scene) -> str:
    """What `find_scene` finds it by: the name of a built-in one, the absolute path of a scene file."""
    if scene.file is not None:
        return DEFAULT
    file = Path(inspect.getfile(type(scene))).resolve()
    return scene.name if file.parent == Path(scenes.__file__).resolve().parent else str(file)


def _last_grid(usual: Grid, settings: Settings) -> Grid:
    """The usual grid with what the last run had instead; 0 stands for the usual. Raises UserError beyond the limits."""
    return usual.with_(
        width=settings.grid_width or usual.width,
        height=settings.grid_height or usual.height,
        substeps=settings.substeps or usual.substeps,
    )
