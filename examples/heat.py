"""A scene of your own in one file: heat that spreads. Run it with `whitecap --scene examples/heat.py`.

The brush heats the plate, the sub-steps let the heat spread, and the border is insulated or held cold.
Everything else comes from this file: the capture, its replay, the sliders, and
`whitecap capture --scene examples/heat.py --out heat.wrp`, which another program can replay without Python.
"""

from whitecap import capture as wc
from whitecap.app.scene import OFF_GRID, Grid, Parameter, RecordedScene, Scene


@wc.struct
class HeatParams:
    diffusivity: wc.float32
    border: wc.float32
    radius: wc.float32
    magnitude: wc.float32
    dt: wc.float32
    cell: wc.float32


@wc.func
def temperature(heat: wc.array2d(dtype=wc.float32), i: wc.int32, j: wc.int32, border: wc.float32) -> wc.float32:
    """Inside the plate its temperature; outside that of the nearest cell, or as much of it as `border` leaves."""
    row = wc.clamp(i, 0, heat.shape[0] - 1)
    column = wc.clamp(j, 0, heat.shape[1] - 1)
    inside = heat[row, column]
    return wc.where(row == i and column == j, inside, inside * (1.0 - border))


@wc.kernel
def warm_up(
    heat: wc.array2d(dtype=wc.float32),
    mouse_pos: wc.array(dtype=wc.vec2),
    params: wc.array(dtype=HeatParams),
):
    i, j = wc.tid()
    p = params[0]
    mouse = mouse_pos[0]
    dx = wc.float32(j) - mouse[0]
    dy = wc.float32(i) - mouse[1]
    closeness = 1.0 - (dx * dx + dy * dy) / (p.radius * p.radius)
    heat[i, j] = heat[i, j] + p.magnitude * wc.max(closeness, 0.0)


@wc.kernel
def spread(
    heat: wc.array2d(dtype=wc.float32),
    spread_heat: wc.array2d(dtype=wc.float32),
    params: wc.array(dtype=HeatParams),
):
    i, j = wc.tid()
    p = params[0]
    h = heat[i, j]
    around = temperature(heat, i, j + 1, p.border) + temperature(heat, i, j - 1, p.border)
    around = around + temperature(heat, i + 1, j, p.border) + temperature(heat, i - 1, j, p.border)
    spread_heat[i, j] = h + p.dt * p.diffusivity / (p.cell * p.cell) * (around - 4.0 * h)


class HeatScene(Scene):
    name = "heat"
    title = "Heat"
    description = "A metal plate: heat it with the brush and watch the heat spread."
    params_struct = HeatParams
    fields = ("heights",)
    look = (("mode", "data"), ("colormap", "viridis"))
    parameters = (
        Parameter("diffusivity", "Diffusivity", 0.6, 0.0, 2.0, "u²/s", "How fast heat spreads."),
        Parameter("border", "Border", 0.0, 0.0, 1.0, "", "0: insulated. 1: held at zero."),
        Parameter("radius", "Brush radius", 6.0, 0.5, 32.0, "cells", "Radius of what the brush heats."),
        Parameter("magnitude", "Brush strength", 0.1, -1.0, 1.0, "u", "Heat added at the brush's centre each frame."),
    )

    def record(self, grid: Grid) -> RecordedScene:
        heights = wc.zeros(grid.shape, dtype=wc.float32)
        other = wc.zeros(grid.shape, dtype=wc.float32)
        mouse_pos = wc.array([OFF_GRID], dtype=wc.vec2)
        params = wc.array(self.pack(self.defaults(), grid, grid.dt), dtype=HeatParams)
        with wc.ScopedCapture() as capture:
            wc.launch(warm_up, dim=grid.shape, inputs=[heights, mouse_pos, params])
            current, spare = heights, other
            for _ in range(grid.substeps):
                wc.launch(spread, dim=grid.shape, inputs=[current, spare, params])
                current, spare = spare, current
            if current is not heights:
                wc.copy(heights, current)
        return RecordedScene(
            capture.graph,
            inputs={"heights": heights, "mouse_pos": mouse_pos, "params": params},
            outputs={"heights_out": heights},
        )
