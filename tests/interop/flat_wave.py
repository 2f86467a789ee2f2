"""The literal wave frame of the prior art, in code that runs under Warp after changing the import line.

Run as a script it records 16 sub-steps at 64 x 48, replays ten frames and saves the heights to the given .npy.
"""

import json
import sys

import numpy as np
import whitecap.capture as wp


@wp.func
def sample_height(heights: wp.array(dtype=float), x: int, y: int, width: int, height: int):
    return heights[wp.clamp(y, 0, height - 1) * width + wp.clamp(x, 0, width - 1)]


@wp.kernel
def wave_displace(
    previous: wp.array(dtype=float),
    current: wp.array(dtype=float),
    mouse: wp.array(dtype=wp.vec2),
    width: int,
    height: int,
    radius: float,
    magnitude: float,
):
    tid = wp.tid()
    centre = mouse[0]
    dx = float(tid % width) - centre[0]
    dy = float(tid // width) - centre[1]
    squared = dx * dx + dy * dy
    if squared < radius * radius:
        push = magnitude * (1.0 - squared / (radius * radius))
        current[tid] = current[tid] + push
        previous[tid] = previous[tid] + push


@wp.kernel
def wave_solve(
    previous: wp.array(dtype=float),
    current: wp.array(dtype=float),
    width: int,
    height: int,
    inverse_cell: float,
    k_speed: float,
    k_damp: float,
    dt: float,
):
    tid = wp.tid()
    x = tid % width
    y = tid // width
    h = sample_height(current, x, y, width, height)
    around = sample_height(current, x + 1, y, width, height) + sample_height(current, x - 1, y, width, height)
    around = around + sample_height(current, x, y + 1, width, height)
    around = around + sample_height(current, x, y - 1, width, height)
    laplacian = (around - 4.0 * h) * inverse_cell * inverse_cell
    h0 = sample_height(previous, x, y, width, height)
    previous[tid] = 2.0 * h - h0 + dt * dt * (k_speed * laplacian - k_damp * (h - h0))


def record(height, width, substeps):
    """The captured frame, then the arrays that hold current and previous heights after it, and the mouse."""
    count = height * width
    start = (np.random.default_rng(count).random(count, dtype=np.float32) - 0.5) * 0.1
    first = wp.array(start, device="cpu")
    second = wp.clone(first)
    mouse = wp.array(np.array([[width / 2, height / 3]], dtype=np.float32), dtype=wp.vec2, device="cpu")
    wp.capture_begin(device="cpu", apic=True)
    previous, current = first, second
    wp.launch(wave_displace, dim=count, inputs=[previous, current, mouse, width, height, 5.0, 0.3], device="cpu")
    for _ in range(substeps):
        inputs = [previous, current, width, height, 10.0, 60.0, 1000.0, 1.0 / 60.0 / substeps]
        wp.launch(wave_solve, dim=count, inputs=inputs, device="cpu")
        previous, current = current, previous
    return wp.capture_end(device="cpu"), current, previous, mouse


def main():
    graph, current, _, mouse = record(48, 64, 16)
    path = sys.argv[1] + ".capture"
    wp.capture_save(graph, path, inputs={"mouse_pos": mouse}, outputs={"heights_out": current})
    loaded = wp.capture_load(path, device="cpu")
    for _ in range(10):
        wp.capture_launch(loaded)
    out = wp.zeros(48 * 64, dtype=float, device="cpu")
    loaded.get_param("heights_out", out)
    np.save(sys.argv[1], out.numpy())
    print(json.dumps({"params": sorted(loaded.params.items())}))


if __name__ == "__main__":
    main()
