"""`whitecap capture`: one frame of a scene into a `.wrp` file with its modules folder."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import _native
from ..capture.errors import CaptureError
from ..capture.save import wrp_path
from ..capture.targets import parse_targets
from .captures import modules_folder, record_and_save, require_wrp
from .choices import chosen_grid, chosen_scene
from .errors import UsageError, UserError, os_error_line
from .files import require_place

if TYPE_CHECKING:
    from .. import capture as wc
    from .scene import Grid


def capture(options: Namespace) -> int:
    """Captures, saves and prints what the file holds."""
    scene = chosen_scene(options)
    grid = chosen_grid(options, scene)
    require_wrp(options.out, "--out ")
    path = wrp_path(options.out)
    require_place(path)
    check_targets(options.target)
    try:
        record_and_save(scene, grid, path, options.target)
    except OSError as error:
        with suppress(OSError):
            modules_folder(path).rmdir()  # only if nothing came to lie there
        raise UserError(f"--out {path}: {os_error_line(error)}; give another place") from error
    print_grid(grid)
    print_capture(_native.Capture.from_file(str(path)))
    print(f"file       {path}, {path.stat().st_size:,} bytes")
    for module in sorted(modules_folder(path).iterdir()):
        print(f"module     {module}, {module.stat().st_size:,} bytes")
    return 0


def check_targets(names: list[str] | None) -> None:
    """Refuses what nothing can be compiled for. Raises UsageError."""
    try:
        parse_targets(names or [], "--target")
    except CaptureError as error:
        raise UsageError(str(error)) from error


def print_grid(grid: Grid) -> None:
    """Grid, sub-steps and time step."""
    print(f"grid       {grid.width} x {grid.height} cells of {grid.cell:g}")
    print(f"sub-steps  {grid.substeps}, dt {grid.dt:.9f} s")


def print_capture(capture: wc.Capture) -> None:
    """Launches, and the named parameters with their sizes."""
    print(f"launches   {capture.launch_count} a frame")
    print("parameters")
    bindings = capture.bindings
    width = max((len(binding["name"]) for binding in bindings), default=0)
    for binding in bindings:
        kind = "output" if binding["output"] else "input"
        print(f"  {kind:6}  {binding['name']:{width}}  {binding['size']:>12,} bytes")
