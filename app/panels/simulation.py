"""The Simulation panel: what the scene declares, the grid, the sub-steps and the time scale."""

from __future__ import annotations

from imgui_bundle import imgui

from ..lab.setup import HIGHEST_TIME_SCALE, LOWEST_TIME_SCALE
from ..lab.stability import MAX_SUBSTEPS, limit_of
from ..scene import Parameter
from .protocol import PanelHost
from .status import launches_of
from .widgets import button, label, number_field, number_format, row_of, slider, tooltip

SIZES = (64, 128, 256, 512, 1024, 2048)
FEWEST_SUBSTEPS = 1
LEAST, MOST = SIZES[0], SIZES[-1]
GRID_HELP = "Cells of the basin. The waves stay, resampled; the frame is captured again."
SIDES_HELP = (
    f"{LEAST} to {MOST} cells each, with Enter. A typed width takes the height along in proportion, within the limits; "
    "a typed height changes the basin's shape."
)


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    if lab is None:
        return
    scheme, setup = lab.scheme, lab.setup
    for parameter in app.simulation.scene.parameters:
        if not parameter.advanced:
            _parameter(app, parameter)
    limit = limit_of(scheme, "time_scale", setup.time_scale) if scheme else None
    edit = slider(
        "Time scale",
        setup.time_scale,
        LOWEST_TIME_SCALE,
        HIGHEST_TIME_SCALE,
        default=1.0,
        unit="x",
        help="Simulated seconds a second.",
        log=True,
        stable=None if limit is None else (0.0, limit),
    )
    if edit.changed:
        lab.set_time_scale(edit.value)
    if edit.done:
        lab.seal()
    if app.simulation.scene.file is None:
        _grid(app)
    else:
        _fixed_grid(app)
    advanced = [parameter for parameter in app.simulation.scene.parameters if parameter.advanced]
    if advanced and imgui.tree_node("Advanced"):
        for parameter in advanced:
            _parameter(app, parameter)
        imgui.tree_pop()


FIXED_HELP = (
    "Fixed in the file: a loaded capture is replayed as it was recorded. "
    "For another grid or other sub-steps open the scene that it was made from."
)


def _fixed_grid(app: PanelHost) -> None:
    """What a loaded capture holds, where other scenes have controls: nothing here can be changed."""
    grid = app.simulation.grid
    for name, words in (
        ("Sub-steps", launches_of(app.simulation)),
        ("Grid", f"{grid.width} x {grid.height}"),
        ("Width, height", f"{grid.width}, {grid.height}"),
    ):
        label(name, FIXED_HELP)
        button(f"{words}##{name}", FIXED_HELP, row_of(1), enabled=False)
    _basin(app)


def _parameter(app: PanelHost, parameter: Parameter) -> None:
    lab = app.lab
    assert lab is not None
    value = lab.setup.parameters.get(parameter.name, parameter.default)
    scheme = lab.scheme
    limit = limit_of(scheme, parameter.name) if scheme else None
    edit = slider(
        parameter.label,
        value,
        parameter.low,
        parameter.high,
        default=parameter.default,
        unit=parameter.unit,
        help=parameter.description,
        log=parameter.scale == "log",
        stable=None if limit is None else (parameter.low, limit),
    )
    if edit.changed:
        lab.set_parameter(parameter.name, edit.value)
    if edit.done:
        lab.seal()


def _grid(app: PanelHost) -> None:
    """Sub-steps and size: what a new capture is made for. The water goes on meanwhile."""
    lab = app.lab
    assert lab is not None
    grid, scheme = lab.setup.grid, lab.scheme
    fewest = scheme.smallest_substeps(1 << 16) if scheme else 1
    edit = slider(
        "Sub-steps",
        grid.substeps,
        FEWEST_SUBSTEPS,
        MAX_SUBSTEPS,
        default=16,
        help="Solver steps a frame. More are steadier and slower; changing them captures the frame again.",
        whole=True,
        stable=(float(fewest or MAX_SUBSTEPS + 1), float(MAX_SUBSTEPS)),
    )
    if edit.changed:
        lab.set_grid(substeps=round(edit.value))
    if edit.done:
        lab.seal()
    _size(app)
    _basin(app)


def _basin(app: PanelHost) -> None:
    """How large all of it is."""
    grid = app.simulation.grid
    label("Basin", "The size of the basin in world units, and of one cell.")
    imgui.align_text_to_frame_padding()
    cell = grid.cell
    imgui.text_disabled(
        f"{number_format(grid.width * cell)} x {number_format(grid.height * cell)} u, cell {number_format(cell)} u"
    )
    tooltip("World units; waves cross sqrt(wave speed) of them a second.")


def _size(app: PanelHost) -> None:
    """A list of usual widths, and fields for any other size; unless a height is typed the basin's proportions stay."""
    lab = app.lab
    assert lab is not None
    grid = lab.setup.grid
    sizes = sorted({*SIZES, grid.width})
    heights = [grid.height if size == grid.width else _depth(grid.width, grid.height, size) for size in sizes]
    label("Grid", GRID_HELP)
    names = [f"{width} x {height}" for width, height in zip(sizes, heights, strict=True)]
    changed, picked = imgui.combo("##grid", sizes.index(grid.width), names)
    tooltip(GRID_HELP)
    label("Width, height", SIDES_HELP)
    room = row_of(2)
    width = _side("Width", grid.width, room)
    imgui.same_line()
    height = _side("Height", grid.height, room)
    if width is not None:
        resize(app, width, _depth(grid.width, grid.height, width))
    elif height is not None:
        resize(app, grid.width, height)
    elif changed:
        resize(app, sizes[picked], heights[picked])


def _side(name: str, cells: int, room: float) -> float | None:
    """A field for one side of the grid; the number once it was typed, else None."""
    imgui.set_next_item_width(room)
    typed = number_field(f"##{name}", cells)
    tooltip(f"{name}: {SIDES_HELP}")
    return typed if typed != cells else None


def resize(app: PanelHost, width: float, height: float) -> None:
    """Another grid of that many cells; a side that is new and out of range is refused in one line."""
    lab = app.lab
    assert lab is not None
    grid = lab.setup.grid
    for name, cells, before in (("width", width, grid.width), ("height", height, grid.height)):
        if cells != before and not LEAST <= round(cells) <= MOST:
            lab.message = f"refused: the grid's {name} {cells:.6g}: give {LEAST} to {MOST} cells"
            return
    wanted = grid.with_(width=round(width), height=round(height))
    if wanted != grid:
        lab.edit(lab.setup.with_grid(wanted), "Grid")


def _depth(width: int, height: int, size: float) -> int:
    """The height that keeps the basin's proportions at another width, as far as the limits let it."""
    return round(min(max(size * height / width, LEAST), MOST))
