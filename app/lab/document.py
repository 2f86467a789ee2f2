"""A scene as a document: one readable TOML file.

Reading treats the file as hostile: sizes, counts, ranges and names are checked, and every refusal is one line that
names the file, the key and what is allowed. Writing replaces a whole file or leaves the old one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..errors import UserError, one_line
from ..files import read_bytes, write_atomically
from ..limits import LARGEST_CELL, MAX_SIDE, MAX_SUBSTEPS, SMALLEST_CELL
from ..pose import Pose
from ..scene import Grid, Parameter
from .probes import MAX_PROBES, Probe
from .schema import Table
from .setup import HIGHEST_TIME_SCALE, LOWEST_TIME_SCALE, Setup, numbered
from .sources import MAX_SOURCES, SIGNALS, SOURCE_KINDS, Source
from .stamps import mask_to_runs, runs_to_mask
from .walls import (
    EDGES,
    KINDS,
    SIDES,
    SLOWEST,
    Boundaries,
    Box,
    Disc,
    Polygon,
    Shape,
    Stamp,
    Stroke,
)

VERSION = 1
MAX_BYTES = 16 << 20
MAX_WALLS = 5000
MAX_POINTS = 5000
MAX_STAMP = 4096
BYTE_ORDER_MARK = "\ufeff"
"""Some editors put it before the first line."""

ParameterLookup = Callable[[str], Sequence[Parameter]]
"""From a scene's name to its declared parameters. Raises UserError for an unknown scene."""


@dataclass(frozen=True)
class Document:
    """What a scene file holds.

    note: one line of what to notice. look: options of the view by name, kept as they are. camera: a pose as text.
    checkpoint: name of the `.npz` beside the file, or empty.
    """

    title: str = ""
    note: str = ""
    setup: Setup = field(default_factory=Setup)
    look: Mapping[str, Any] = field(default_factory=dict)
    camera: str = ""
    checkpoint: str = ""


# ---- reading


def load(path: str | Path, parameters: ParameterLookup | None = None) -> Document:
    """Reads a document from a file. Raises UserError, one line, when it can't be read or isn't allowed."""
    path = Path(path)
    data = read_bytes(path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UserError(f"{path}: larger than {MAX_BYTES >> 20} MiB: this is not a scene file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8: a scene file is TOML text") from error
    return parse(text, str(path), parameters)


def parse(text: str, origin: str = "scene", parameters: ParameterLookup | None = None) -> Document:
    """Reads a document from text. origin: the name that refusals start with."""
    try:
        values = tomlkit.parse(text.removeprefix(BYTE_ORDER_MARK)).unwrap()
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise UserError(f"{origin}: not valid TOML: {one_line(error)}") from error
    top = Table(values, origin)
    if "whitecap" not in values:
        raise UserError(f"{origin}: no Whitecap scene, as it lacks the line `whitecap = {VERSION}`")
    top.version("whitecap", VERSION)
    title, note = top.text("title", "", 120), top.text("note", "")
    setup = _read_setup(top, parameters)
    look = _read_look(top.table("look"))
    camera = _read_camera(top)
    checkpoint = top.text("checkpoint", "", 255)
    if checkpoint and (Path(checkpoint).name != checkpoint or not checkpoint.endswith(".npz")):
        top.refuse("checkpoint", checkpoint, "give the name of a .npz file in the same folder")
    top.done()
    return Document(title, note, setup, look, camera, checkpoint)


def _read_setup(top: Table, lookup: ParameterLookup | None) -> Setup:
    scene = top.text("scene", "wave", 120)
    grid = _read_grid(top.table("grid"))
    deepest = grid.height / grid.width
    setup = Setup(
        scene=scene,
        grid=grid,
        time_scale=top.number("time_scale", 1.0, LOWEST_TIME_SCALE, HIGHEST_TIME_SCALE),
        parameters=_read_parameters(top.table("parameters"), scene, lookup),
        boundaries=_read_boundaries(top.table("boundaries")),
        walls=tuple(_read_wall(table) for table in top.tables("walls", MAX_WALLS)),
        sources=tuple(_read_source(table, deepest) for table in top.tables("sources", MAX_SOURCES)),
        probes=tuple(_read_probe(table, deepest) for table in top.tables("probes", MAX_PROBES)),
    )
    return numbered(setup)


def _read_grid(table: Table) -> Grid:
    default = Grid()
    width = table.whole("width", default.width, 1, MAX_SIDE)
    height = table.whole("height", width, 1, MAX_SIDE)
    substeps = table.whole("substeps", default.substeps, 1, MAX_SUBSTEPS)
    cell = table.number("cell", default.cell, SMALLEST_CELL, LARGEST_CELL)
    table.done()
    try:
        return Grid(width, height, substeps, cell)
    except UserError as error:
        raise UserError(f"{table.origin}: {error}") from error


def _read_parameters(table: Table, scene: str, lookup: ParameterLookup | None) -> dict[str, float]:
    if lookup is None:
        return {name: table.number(name, None) for name in table.values}
    try:
        declared = lookup(scene)
    except UserError as error:
        raise UserError(f"{table.origin}: scene is {scene!r}: {error}") from error
    values = {p.name: table.number(p.name, p.default, p.low, p.high) for p in declared}
    table.done()
    return values


def _read_boundaries(table: Table) -> Boundaries:
    edges = {side: table.word(side, "reflecting", EDGES) for side in SIDES}
    for one, other in (("left", "right"), ("far", "near")):
        if (edges[one] == "periodic") != (edges[other] == "periodic"):
            odd = one if edges[one] != "periodic" else other
            table.refuse(odd, edges[odd], f"{one} and {other} are periodic together or not at all")
    sponge = table.number("sponge", Boundaries().sponge, 0.0, 0.5)
    table.done()
    return Boundaries(**edges, sponge=sponge)  # type: ignore[arg-type]  # the words were checked


FAR_OUT = 4.0
"""Shapes may reach this many widths beyond the basin: a lens can be cut from a large disc."""

_SHAPES = {"stroke": Stroke, "box": Box, "disc": Disc, "polygon": Polygon, "stamp": Stamp}


def _read_wall(table: Table) -> Shape:
    shape = table.word("shape", None, tuple(_SHAPES))
    kind: Any = table.word("kind", "reflecting", KINDS)
    speed = table.number("speed", 0.5, SLOWEST, 1.0)
    common: dict[str, Any] = {"kind": kind, "speed": speed}
    wall: Shape
    if shape == "stroke":
        points = table.points("points", 1, MAX_POINTS, -FAR_OUT, FAR_OUT)
        wall = Stroke(points, table.number("width", None, 0.0, FAR_OUT), **common)
    elif shape == "box":
        corners: dict[str, Any] = {key: table.number(key, None, -FAR_OUT, FAR_OUT) for key in ("x0", "y0", "x1", "y1")}
        wall = Box(**corners, **common)
    elif shape == "disc":
        x, y = table.number("x", None, -FAR_OUT, FAR_OUT), table.number("y", None, -FAR_OUT, FAR_OUT)
        radius = table.number("radius", None, 0.0, FAR_OUT)
        hole = table.number("hole", 0.0, 0.0, radius)
        wall = Disc(x, y, radius, hole, table.flag("outside", False), **common)
    elif shape == "polygon":
        wall = Polygon(table.points("points", 3, MAX_POINTS, -FAR_OUT, FAR_OUT), **common)
    else:
        wall = _read_stamp(table, common)
    table.done()
    return wall


def _read_stamp(table: Table, common: dict[str, Any]) -> Stamp:
    columns, rows = table.whole("columns", None, 1, MAX_STAMP), table.whole("rows", None, 1, MAX_STAMP)
    try:
        mask = runs_to_mask(table.lines("runs", MAX_STAMP), columns, rows)
    except ValueError as error:
        raise UserError(f"{table.origin}: {table.path}.runs: {error}") from error
    return Stamp(columns, rows, mask.astype(np.uint8).tobytes(), **common)


def _read_source(table: Table, deepest: float) -> Source:
    default = Source()
    kind: Any = table.word("kind", default.kind, SOURCE_KINDS)
    x, y = table.number("x", None, 0.0, 1.0), table.number("y", None, 0.0, deepest)
    second = None if kind != "point" else 0.0
    source = Source(
        kind=kind,
        x=x,
        y=y,
        x2=table.number("x2", second, 0.0, 1.0) if table.has("x2") or second is None else x,
        y2=table.number("y2", second, 0.0, deepest) if table.has("y2") or second is None else y,
        frequency=table.number("frequency", default.frequency, 0.01, 100.0),
        amplitude=table.number("amplitude", default.amplitude, -10.0, 10.0),
        phase=table.number("phase", 0.0, -360.0, 360.0),
        radius=table.number("radius", default.radius, 0.0, 0.5),
        signal=table.word("signal", default.signal, SIGNALS),  # type: ignore[arg-type]
        cycles=table.number("cycles", default.cycles, 0.0, 1000.0),
        every=table.number("every", 0.0, 0.0, 1000.0),
        speed=table.number("speed", default.speed, 0.0, 1000.0),
        enabled=table.flag("enabled", True),
    )
    table.done()
    return source


def _read_probe(table: Table, deepest: float) -> Probe:
    probe = Probe(table.number("x", None, 0.0, 1.0), table.number("y", None, 0.0, deepest))
    table.done()
    return probe


def _read_camera(top: Table) -> str:
    camera = top.text("camera", "", 300)
    try:
        if camera:
            Pose.parse(camera)
    except ValueError:
        top.refuse("camera", camera, "give a pose as View copies it, such as yaw=30 pitch=25 distance=20 target=0,0,0")
    return camera


def _read_look(table: Table) -> dict[str, Any]:
    """Options of the view are the view's to check; here only their shape is: flat, finite, short."""
    for key, value in table.values.items():
        items = value if isinstance(value, list) else [value]
        plain = len(items) <= 16 and all(isinstance(item, (bool, int, float, str)) for item in items)
        if not plain or any(isinstance(item, float) and not math.isfinite(item) for item in items):
            table.refuse(key, value, "give a finite number, a text, true or false, or a short list of them")
    return table.values


# ---- writing


def to_text(document: Document) -> str:
    """The document as TOML; `parse` gives an equal one back."""
    setup = document.setup
    top: dict[str, Any] = {"whitecap": VERSION, "title": document.title, "note": document.note, "scene": setup.scene}
    top["time_scale"] = setup.time_scale
    if document.camera:
        top["camera"] = document.camera
    if document.checkpoint:
        top["checkpoint"] = document.checkpoint
    top["grid"] = {name: getattr(setup.grid, name) for name in ("width", "height", "substeps", "cell")}
    top["parameters"] = {name: float(value) for name, value in setup.parameters.items()}
    top["boundaries"] = {side: getattr(setup.boundaries, side) for side in SIDES} | {"sponge": setup.boundaries.sponge}
    if document.look:
        top["look"] = {key: list(v) if isinstance(v, (list, tuple)) else v for key, v in document.look.items()}
    for name, items in (
        ("walls", [_wall_table(wall) for wall in setup.walls]),
        ("sources", [_table(source, {"kind", "x", "y", "frequency", "amplitude"}) for source in setup.sources]),
        ("probes", [{"x": probe.x, "y": probe.y} for probe in setup.probes]),
    ):
        if items:
            top[name] = items
    return tomlkit.dumps(top)


def save(path: str | Path, document: Document) -> None:
    """Writes the document as a whole file or not at all. Raises UserError when the folder can't be written to."""
    write_atomically(Path(path), to_text(document).encode())


def _wall_table(wall: Shape) -> dict[str, Any]:
    shape = next(name for name, kind in _SHAPES.items() if isinstance(wall, kind))
    table: dict[str, Any] = {"shape": shape, "kind": wall.kind}
    if wall.kind == "slow":
        table["speed"] = wall.speed
    if isinstance(wall, Stamp):
        mask = np.frombuffer(wall.mask, dtype=np.uint8).reshape(wall.rows, wall.columns) != 0
        return table | {"columns": wall.columns, "rows": wall.rows, "runs": mask_to_runs(mask)}
    if isinstance(wall, (Stroke, Polygon)):
        table["points"] = [[x, y] for x, y in wall.points]
    return table | _table(wall, {"width", "x0", "y0", "x1", "y1", "x", "y", "radius"}, skip={"kind", "speed", "points"})


def _table(item: Any, always: set[str], skip: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """The fields of a dataclass that differ from their defaults, and those in `always`."""
    table = {}
    for entry in fields(item):
        value = getattr(item, entry.name)
        needed = entry.name in always or value != entry.default
        if isinstance(item, Source) and entry.name in ("x2", "y2"):
            needed = item.kind != "point" or (item.x2, item.y2) != (item.x, item.y)
        if needed and entry.name not in skip and entry.name != "uid":
            table[entry.name] = value
    return table
