"""The `wave` scene: one displacement and sixteen wave-equation sub-steps on two height grids, 17 launches a frame."""

from __future__ import annotations

from ... import capture as wc
from ..scene import OFF_GRID, Grid, Parameter, RecordedScene, Scene


@wc.struct
class WaveParams:
    k_speed: wc.float32
    k_damp: wc.float32
    radius: wc.float32
    magnitude: wc.float32
    dt: wc.float32


@wc.func
def sample_height(heights: wc.array2d(dtype=wc.float32), i: wc.int32, j: wc.int32) -> wc.float32:
    """The height of row i, column j, indices clamped to the grid."""
    row = wc.clamp(i, 0, heights.shape[0] - 1)
    column = wc.clamp(j, 0, heights.shape[1] - 1)
    return heights[row, column]


@wc.func
def brush(mouse: wc.vec2, i: wc.int32, j: wc.int32, radius: wc.float32, magnitude: wc.float32) -> wc.float32:
    """How much the brush adds at row i, column j: a paraboloid, zero from `radius` cells on."""
    dx = wc.float32(j) - mouse[0]
    dy = wc.float32(i) - mouse[1]
    distance2 = dx * dx + dy * dy
    radius2 = radius * radius
    added = wc.float32(0.0)
    if distance2 < radius2:
        added = magnitude * (1.0 - distance2 / radius2)
    return added


@wc.kernel
def wave_displace(
    heights: wc.array2d(dtype=wc.float32),
    heights_prev: wc.array2d(dtype=wc.float32),
    mouse_pos: wc.array(dtype=wc.vec2),
    params: wc.array(dtype=WaveParams),
):
    i, j = wc.tid()
    p = params[0]
    added = brush(mouse_pos[0], i, j, p.radius, p.magnitude)
    if added != 0.0:
        heights[i, j] = heights[i, j] + added
        heights_prev[i, j] = heights_prev[i, j] + added


@wc.kernel
def wave_displace_swap(
    heights: wc.array2d(dtype=wc.float32),
    heights_prev: wc.array2d(dtype=wc.float32),
    mouse_pos: wc.array(dtype=wc.vec2),
    params: wc.array(dtype=WaveParams),
):
    i, j = wc.tid()
    p = params[0]
    added = brush(mouse_pos[0], i, j, p.radius, p.magnitude)
    current = heights[i, j]
    heights[i, j] = heights_prev[i, j] + added
    heights_prev[i, j] = current + added


@wc.kernel
def wave_solve(
    heights: wc.array2d(dtype=wc.float32),
    heights_prev: wc.array2d(dtype=wc.float32),
    params: wc.array(dtype=WaveParams),
    inv_cell: wc.float32,
):
    """One sub-step: reads both grids, writes the new heights over the previous ones."""
    i, j = wc.tid()
    p = params[0]
    h = heights[i, j]
    h0 = heights_prev[i, j]
    around = sample_height(heights, i, j + 1) + sample_height(heights, i, j - 1)
    around = around + sample_height(heights, i + 1, j)
    around = around + sample_height(heights, i - 1, j)
    laplacian = (around - 4.0 * h) * inv_cell * inv_cell
    acceleration = p.k_speed * laplacian - p.k_damp * (h - h0)
    heights_prev[i, j] = 2.0 * h - h0 + p.dt * p.dt * acceleration


class WaveScene(Scene):
    """A basin with reflecting walls. State is two grids; nothing is copied between frames."""

    name = "wave"
    title = "Wave"
    description = "A rectangular basin with reflecting walls: poke it and watch."
    params_struct = WaveParams
    parameters = (
        Parameter(
            "k_speed",
            "Wave speed",
            60.0,
            0.0,
            400.0,
            "u²/s²",
            "Square of the speed at which waves travel, in world units a second.",
        ),
        Parameter(
            "k_damp",
            "Damping",
            1000.0,
            0.0,
            20000.0,
            "1/s²",
            "How strongly each sub-step's motion is held back. 0 keeps waves alive for ever.",
        ),
        Parameter("radius", "Brush radius", 5.0, 0.5, 64.0, "cells", "Radius of the dent that a press makes."),
        Parameter(
            "magnitude", "Brush strength", 0.3, -2.0, 2.0, "u", "Height added at the brush's centre in each frame."
        ),
    )

    def record(self, grid: Grid) -> RecordedScene:
        heights = wc.zeros(grid.shape, dtype=wc.float32)
        heights_prev = wc.zeros(grid.shape, dtype=wc.float32)
        mouse_pos = wc.array([OFF_GRID], dtype=wc.vec2)
        params = wc.array(self.pack(self.defaults(), grid, grid.dt), dtype=WaveParams)

        # The solver writes over the older grid and the two swap roles, so after an odd number of sub-steps they end
        # swapped. The displacement then hands them over swapped, and every frame still ends where it began.
        displace = wave_displace if grid.substeps % 2 == 0 else wave_displace_swap
        current, previous = (heights, heights_prev) if grid.substeps % 2 == 0 else (heights_prev, heights)
        with wc.ScopedCapture() as capture:
            wc.launch(displace, dim=grid.shape, inputs=[heights, heights_prev, mouse_pos, params])
            for _ in range(grid.substeps):
                wc.launch(wave_solve, dim=grid.shape, inputs=[current, previous, params, 1.0 / grid.cell])
                current, previous = previous, current

        return RecordedScene(
            capture.graph,
            inputs={"heights": heights, "heights_prev": heights_prev, "mouse_pos": mouse_pos, "params": params},
            outputs={"heights_out": current, "heights_prev_out": previous},
        )
