"""The Simulation panel: what the scene declares, the grid, the sub-steps and the time scale."""

from __future__ import annotations

from imgui_bundle import imgui

from ..lab.document import SMALLEST_GRID
from ..lab.setup import HIGHEST_TIME_SCALE, LOWEST_TIME_SCALE
from ..lab.stability import MAX_SUBSTEPS, limit_of
from ..scene import Parameter
from .protocol import PanelHost
from .widgets import WARNING, label, note, number_field, number_format, slider, tooltip

SIZES = (64, 128, 256, 512, 1024, 2048)
FEWEST_SUBSTEPS = 1
GRID_HELP = "Cells of the basin. The waves stay, resampled; the frame is captured again."


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
    _grid(app)
    advanced = [parameter for parameter in app.simulation.scene.parameters if parameter.advanced]
    if advanced and imgui.tree_node("Advanced"):
        for parameter in advanced:
            _parameter(app, parameter)
        imgui.tree_pop()
    if lab.message.startswith(("refused", "raised")):  # said where the slider is; anything else is in the status line
        note(lab.message, WARNING)


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
    label("Basin", "The size of the basin in world units, and of one cell.")
    imgui.align_text_to_frame_padding()
    cell = grid.cell
    imgui.text_disabled(
        f"{number_format(grid.width * cell)} x {number_format(grid.height * cell)} u, cell {number_format(cell)} u"
    )
    tooltip("World units; waves cross sqrt(wave speed) of them a second.")


def _size(app: PanelHost) -> None:
    """A list of usual widths, and a field for any other; the basin keeps its proportions."""
    lab = app.lab
    assert lab is not None
    grid = lab.setup.grid
    sizes = sorted({*SIZES, grid.width})
    label("Grid", GRID_HELP)
    room = imgui.get_content_region_avail().x
    imgui.set_next_item_width(0.62 * room)
    names = [f"{size} x {_depth(grid.width, grid.height, size)}" for size in sizes]
    changed, picked = imgui.combo("##grid", sizes.index(grid.width), names)
    tooltip(GRID_HELP)
    width = sizes[picked] if changed else grid.width
    imgui.same_line()
    imgui.set_next_item_width(-1.0)
    typed = number_field("##width", grid.width)
    tooltip(f"Any width from {SMALLEST_GRID} to {SIZES[-1]} cells, with Enter.")
    if typed is not None:
        width = min(max(round(typed), SMALLEST_GRID), SIZES[-1])
    if width != grid.width:
        lab.set_grid(width=width, height=_depth(grid.width, grid.height, width))
        lab.seal()


def _depth(width: int, height: int, size: int) -> int:
    """The height that keeps the basin's proportions at another width."""
    return max(SMALLEST_GRID, round(size * height / width))
