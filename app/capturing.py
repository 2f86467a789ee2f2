"""`whitecap capture`: one frame of a scene into a `.wrp` file with its modules folder."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from .. import _native
from .captures import modules_folder, record_and_save
from .choices import chosen_grid, chosen_scene
from .errors import UserError
from .files import writable_folder

if TYPE_CHECKING:
    from .. import capture as wc
    from .scene import Grid


def capture(options: Namespace) -> int:
    """Captures, saves and prints what the file holds."""
    scene = chosen_scene(options)
    grid = chosen_grid(options, scene)
    path = options.out if options.out.suffix == ".wrp" else options.out.with_name(options.out.name + ".wrp")
    if path.is_dir():
        raise UserError(f"--out {path}: this is a folder; give the name of a file")
    if not writable_folder(path.parent):
        raise UserError(f"--out {path}: the folder {path.parent} cannot be written to; give another place")
    record_and_save(scene, grid, path, options.target)
    print_grid(grid)
    print_capture(_native.Capture.from_file(str(path)))
    size = path.stat().st_size
    modules = sorted(modules_folder(path).iterdir())
    print(f"file       {path}, {size:,} bytes")
    for module in modules:
        print(f"module     {module}, {module.stat().st_size:,} bytes")
    return 0


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
