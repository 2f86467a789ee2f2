"""The `tank` scene: edges that reflect, hold, absorb or wrap around, walls, slow water, and sources of waves.

A frame is one displacement and, for each sub-step, three launches: `tank_drive` adds what the sources push, `tank_step`
solves the wave equation, `tank_edges` corrects the outermost cells. What a person edits is inputs, so no edit of walls,
edges or sources captures anything again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ... import capture as wc
from ..lab.sources import MAX_SOURCES, table_entries
from ..scene import OFF_GRID, Grid, RecordedScene, Scene
from .wave import WaveScene

RUN = wc.constant(32)  # cells of a row that one thread of `tank_drive` looks after
SOURCES = wc.constant(MAX_SOURCES)

# What an edge does, as `Boundaries.codes` numbers it; 0 reflects.
FIXED = wc.constant(1)
WRAPS = wc.constant(2)
OPEN = wc.constant(3)


@wc.struct
class TankParams:
    k_speed: wc.float32
    k_damp: wc.float32
    radius: wc.float32
    magnitude: wc.float32
    wave_speed: wc.float32
    dt: wc.float32


@wc.struct
class SourceStep:
    x0: wc.float32
    y0: wc.float32
    x1: wc.float32
    y1: wc.float32
    radius: wc.float32
    push: wc.float32


@wc.func
def at(field: wc.array2d(dtype=wc.float32), y: wc.int32, x: wc.int32) -> wc.float32:
    """The value of row y, column x, indices held to the grid."""
    return field[wc.clamp(y, 0, field.shape[0] - 1), wc.clamp(x, 0, field.shape[1] - 1)]


@wc.func
def distance2(
    x: wc.float32, y: wc.float32, x0: wc.float32, y0: wc.float32, x1: wc.float32, y1: wc.float32
) -> wc.float32:
    """Square of the distance from (x, y) to a segment, which may be a point."""
    dx = x1 - x0
    dy = y1 - y0
    t = wc.clamp(((x - x0) * dx + (y - y0) * dy) / wc.max(dx * dx + dy * dy, 1.0e-12), 0.0, 1.0)
    px = x - x0 - t * dx
    py = y - y0 - t * dy
    return px * px + py * py


@wc.func
def brushed(
    mouse_from: wc.vec2, mouse_pos: wc.vec2, y: wc.int32, x: wc.int32, radius: wc.float32, magnitude: wc.float32
) -> wc.float32:
    """What the brush adds on its way since the last frame: a paraboloid across the way, zero from `radius` cells on."""
    d2 = distance2(wc.float32(x), wc.float32(y), mouse_from[0], mouse_from[1], mouse_pos[0], mouse_pos[1])
    return magnitude * wc.max(1.0 - d2 / wc.max(radius * radius, 1.0e-12), 0.0)


@wc.kernel
def tank_displace(
    heights: wc.array2d(dtype=wc.float32),
    heights_prev: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    mouse_from: wc.array(dtype=wc.vec2),
    mouse_pos: wc.array(dtype=wc.vec2),
    params: wc.array(dtype=TankParams),
):
    y, x = wc.tid()
    p = params[0]
    added = wc.where(speed[y, x] > 0.0, brushed(mouse_from[0], mouse_pos[0], y, x, p.radius, p.magnitude), 0.0)
    heights[y, x] = heights[y, x] + added
    heights_prev[y, x] = heights_prev[y, x] + added


@wc.kernel
def tank_displace_swap(
    heights: wc.array2d(dtype=wc.float32),
    heights_prev: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    mouse_from: wc.array(dtype=wc.vec2),
    mouse_pos: wc.array(dtype=wc.vec2),
    params: wc.array(dtype=TankParams),
):
    """For an odd number of sub-steps: the grids change roles before they do so again in every sub-step."""
    y, x = wc.tid()
    p = params[0]
    added = wc.where(speed[y, x] > 0.0, brushed(mouse_from[0], mouse_pos[0], y, x, p.radius, p.magnitude), 0.0)
    current = heights[y, x]
    heights[y, x] = heights_prev[y, x] + added
    heights_prev[y, x] = current + added


@wc.kernel
def tank_drive(
    current: wc.array2d(dtype=wc.float32),
    previous: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    sources: wc.array(dtype=SourceStep),
    source_count: wc.array(dtype=wc.int32),
    substep: wc.int32,
):
    """What the sources push up in a sub-step. A thread owns RUN cells of a row, so overlapping sources add in order."""
    y, run = wc.tid()
    row = wc.float32(y)
    first = run * RUN
    last = wc.min(first + RUN, current.shape[1])
    for s in range(source_count[0]):
        source = sources[substep * SOURCES + s]
        reach = source.radius
        beside = row < wc.min(source.y0, source.y1) - reach or row > wc.max(source.y0, source.y1) + reach
        before = wc.float32(last) < wc.min(source.x0, source.x1) - reach
        beyond = wc.float32(first) > wc.max(source.x0, source.x1) + reach
        if source.push != 0.0 and not (beside or before or beyond):
            for x in range(first, last):
                d2 = distance2(wc.float32(x), row, source.x0, source.y0, source.x1, source.y1)
                if d2 < reach * reach and speed[y, x] > 0.0:
                    shape = 1.0 - d2 / (reach * reach)
                    added = source.push * shape * shape
                    current[y, x] = current[y, x] + added
                    previous[y, x] = previous[y, x] + added


@wc.kernel
def tank_step(
    current: wc.array2d(dtype=wc.float32),
    previous: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    damping: wc.array2d(dtype=wc.float32),
    params: wc.array(dtype=TankParams),
    inv_cell: wc.float32,
):
    """One sub-step with reflecting edges: water exchanges height only with open cells, so walls need no further rule.

    A cell whose damping is below 0 is an absorbing wall: it follows the water beside it as a wave that runs out does.
    """
    y, x = wc.tid()
    p = params[0]
    h = current[y, x]
    h0 = previous[y, x]
    s = speed[y, x]
    loss = damping[y, x]
    right = wc.where(at(speed, y, x + 1) > 0.0, at(current, y, x + 1) - h, 0.0)
    left = wc.where(at(speed, y, x - 1) > 0.0, at(current, y, x - 1) - h, 0.0)
    near = wc.where(at(speed, y + 1, x) > 0.0, at(current, y + 1, x) - h, 0.0)
    far = wc.where(at(speed, y - 1, x) > 0.0, at(current, y - 1, x) - h, 0.0)
    laplacian = (right + left + near + far) * inv_cell * inv_cell
    held_back = (p.k_damp * p.dt + loss * p.wave_speed) * p.dt
    water = 2.0 * h - h0 + p.dt * p.dt * (p.k_speed * s * laplacian) - held_back * (h - h0)

    wet_right = wc.where(at(damping, y, x + 1) >= 0.0, at(speed, y, x + 1), 0.0)
    wet_left = wc.where(at(damping, y, x - 1) >= 0.0, at(speed, y, x - 1), 0.0)
    wet_near = wc.where(at(damping, y + 1, x) >= 0.0, at(speed, y + 1, x), 0.0)
    wet_far = wc.where(at(damping, y - 1, x) >= 0.0, at(speed, y - 1, x), 0.0)
    wet = wet_right + wet_left + wet_near + wet_far
    arriving = wet_right * right + wet_left * left + wet_near * near + wet_far * far
    runs_out = h + p.wave_speed * p.dt * inv_cell * (arriving / wc.max(wet, 1.0e-6))
    soaked = wc.where(wet > 0.0, runs_out, 0.0)

    previous[y, x] = wc.where(s > 0.0, wc.where(loss < 0.0, soaked, water), 0.0)


@wc.func
def beyond_edge(
    current: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    y: wc.int32,
    x: wc.int32,
    h: wc.float32,
    kind: wc.int32,
) -> wc.float32:
    """The height beyond an edge less `h` at it: mirrored where the edge is fixed, that of (y, x) where it wraps."""
    difference = wc.float32(0.0)
    if kind == FIXED:
        difference = -2.0 * h
    if kind == WRAPS and speed[y, x] > 0.0:
        difference = current[y, x] - h
    return difference


@wc.func
def from_inside(
    current: wc.array2d(dtype=wc.float32), speed: wc.array2d(dtype=wc.float32), y: wc.int32, x: wc.int32, h: wc.float32
) -> wc.float32:
    """The height of the cell before an open edge less `h`, at the edge."""
    difference = wc.float32(0.0)
    if at(speed, y, x) > 0.0:
        difference = at(current, y, x) - h
    return difference


@wc.kernel
def tank_edges(
    current: wc.array2d(dtype=wc.float32),
    stepped: wc.array2d(dtype=wc.float32),
    speed: wc.array2d(dtype=wc.float32),
    edges: wc.array(dtype=wc.int32),
    params: wc.array(dtype=TankParams),
    inv_cell: wc.float32,
):
    """Corrects the outermost cells of a sub-step for edges that do not reflect. A thread owns one cell."""
    t = wc.tid()
    p = params[0]
    height = current.shape[0]
    width = current.shape[1]
    y = wc.int32(0)
    x = t
    rows = wc.min(height, 2)
    columns = wc.min(width, 2)
    if t >= rows * width:
        y = 1 + (t - rows * width) // columns
        x = ((t - rows * width) % columns) * (width - 1)
    elif t >= width:
        y = height - 1
        x = t - width
    s = speed[y, x]
    if s > 0.0:
        h = current[y, x]
        difference = wc.float32(0.0)
        if x == 0:
            difference = difference + beyond_edge(current, speed, y, width - 1, h, edges[0])
        if x == width - 1:
            difference = difference + beyond_edge(current, speed, y, 0, h, edges[1])
        if y == 0:
            difference = difference + beyond_edge(current, speed, height - 1, x, h, edges[2])
        if y == height - 1:
            difference = difference + beyond_edge(current, speed, 0, x, h, edges[3])
        if difference != 0.0:
            stepped[y, x] = stepped[y, x] + p.dt * p.dt * (p.k_speed * s * (difference * inv_cell * inv_cell))

        # An open edge lets the wave run out, upwind: h_t + c (h_n + h / (2 r)) = 0, as circles about the middle do at
        # half the basin's width r. The sponge before it takes what comes aslant.
        sides = wc.float32(0.0)
        arriving = wc.float32(0.0)
        if x == 0 and edges[0] == OPEN:
            sides = sides + 1.0
            arriving = arriving + from_inside(current, speed, y, 1, h)
        if x == width - 1 and edges[1] == OPEN:
            sides = sides + 1.0
            arriving = arriving + from_inside(current, speed, y, width - 2, h)
        if y == 0 and edges[2] == OPEN:
            sides = sides + 1.0
            arriving = arriving + from_inside(current, speed, 1, x, h)
        if y == height - 1 and edges[3] == OPEN:
            sides = sides + 1.0
            arriving = arriving + from_inside(current, speed, height - 2, x, h)
        if sides > 0.0:
            cells = p.wave_speed * wc.sqrt(s) * p.dt * inv_cell
            stepped[y, x] = h + cells * (arriving / sides - h / wc.float32(width))


class TankScene(Scene):
    """A basin to build in. `speed`, `damping` and `edges` say what the water is like, `sources` what moves it."""

    name = "tank"
    title = "Tank"
    description = "A basin with walls, slow water, sources, and edges that reflect, hold, absorb or wrap around."
    params_struct = TankParams
    parameters = tuple(
        replace(parameter, default=100.0) if parameter.name == "k_damp" else parameter
        for parameter in WaveScene.parameters
    )

    def pack(self, values: Mapping[str, float], grid: Grid, dt: float) -> np.ndarray:
        """As any scene's; the open water's wave speed comes from k_speed."""
        packed = super().pack(values, grid, dt)
        packed["wave_speed"] = math.sqrt(max(values.get("k_speed", 0.0), 0.0))
        return packed

    def record(self, grid: Grid) -> RecordedScene:
        heights, heights_prev = wc.zeros(grid.shape, dtype=wc.float32), wc.zeros(grid.shape, dtype=wc.float32)
        speed, damping = wc.ones(grid.shape, dtype=wc.float32), wc.zeros(grid.shape, dtype=wc.float32)
        mouse_from, mouse_pos = wc.array([OFF_GRID], dtype=wc.vec2), wc.array([OFF_GRID], dtype=wc.vec2)
        edges, source_count = wc.zeros(4, dtype=wc.int32), wc.zeros(1, dtype=wc.int32)
        sources = wc.zeros(table_entries(grid.substeps), dtype=SourceStep)
        params = wc.array(self.pack(self.defaults(), grid, grid.dt), dtype=TankParams)

        odd = grid.substeps % 2 == 1
        current, previous = (heights_prev, heights) if odd else (heights, heights_prev)
        brush = [heights, heights_prev, speed, mouse_from, mouse_pos, params]
        runs = (grid.height, -(-grid.width // 32))
        rim = min(grid.height, 2) * grid.width + min(grid.width, 2) * max(grid.height - 2, 0)
        with wc.ScopedCapture() as capture:
            wc.launch(tank_displace_swap if odd else tank_displace, dim=grid.shape, inputs=brush)
            for substep in range(grid.substeps):
                pair = [current, previous]
                wc.launch(tank_drive, dim=runs, inputs=[*pair, speed, sources, source_count, substep])
                wc.launch(tank_step, dim=grid.shape, inputs=[*pair, speed, damping, params, 1.0 / grid.cell])
                wc.launch(tank_edges, dim=rim, inputs=[*pair, speed, edges, params, 1.0 / grid.cell])
                current, previous = previous, current

        return RecordedScene(
            capture.graph,
            inputs={
                "heights": heights,
                "heights_prev": heights_prev,
                "speed": speed,
                "damping": damping,
                "mouse_from": mouse_from,
                "mouse_pos": mouse_pos,
                "edges": edges,
                "sources": sources,
                "source_count": source_count,
                "params": params,
            },
            outputs={"heights_out": current, "heights_prev_out": previous},
        )
