"""The wave frame twice: as the prior art writes it (one dimension, scalars in the launch), and on a 2-D grid."""

import whitecap.capture as wp


@wp.func
def sample_flat(heights: wp.array(dtype=float), x: int, y: int, width: int, height: int):
    return heights[wp.clamp(y, 0, height - 1) * width + wp.clamp(x, 0, width - 1)]


@wp.kernel
def displace_flat(
    previous: wp.array(dtype=float), current: wp.array(dtype=float), mouse: wp.array(dtype=wp.vec2),
    width: int, height: int, radius: float, magnitude: float,
):  # fmt: skip
    tid = wp.tid()
    centre = mouse[0]
    dx = float(tid % width) - centre[0]
    dy = float(tid // width) - centre[1]
    distance_squared = dx * dx + dy * dy
    if distance_squared < radius * radius:
        push = magnitude * (1.0 - distance_squared / (radius * radius))
        current[tid] = current[tid] + push
        previous[tid] = previous[tid] + push


@wp.kernel
def solve_flat(
    previous: wp.array(dtype=float), current: wp.array(dtype=float), width: int, height: int,
    inverse_cell: float, k_speed: float, k_damp: float, dt: float,
):  # fmt: skip
    tid = wp.tid()
    x = tid % width
    y = tid // width
    h = sample_flat(current, x, y, width, height)
    right = sample_flat(current, x + 1, y, width, height)
    left = sample_flat(current, x - 1, y, width, height)
    down = sample_flat(current, x, y + 1, width, height)
    up = sample_flat(current, x, y - 1, width, height)
    laplacian = (right + left + down + up - 4.0 * h) * inverse_cell * inverse_cell
    h0 = sample_flat(previous, x, y, width, height)
    previous[tid] = 2.0 * h - h0 + dt * dt * (k_speed * laplacian - k_damp * (h - h0))


@wp.struct
class Params:
    k_speed: float
    k_damp: float
    dt: float


@wp.func
def sample(heights: wp.array2d(dtype=float), y: int, x: int):
    row = wp.clamp(y, 0, heights.shape[0] - 1)
    return heights[row, wp.clamp(x, 0, heights.shape[1] - 1)]


@wp.kernel
def displace(
    previous: wp.array2d(dtype=float), current: wp.array2d(dtype=float), mouse: wp.array(dtype=wp.vec2),
    radius: float, magnitude: float,
):  # fmt: skip
    y, x = wp.tid()
    centre = mouse[0]
    dx = float(x) - centre[0]
    dy = float(y) - centre[1]
    distance_squared = dx * dx + dy * dy
    if distance_squared < radius * radius:
        push = magnitude * (1.0 - distance_squared / (radius * radius))
        current[y, x] = current[y, x] + push
        previous[y, x] = previous[y, x] + push


@wp.kernel
def solve(
    previous: wp.array2d(dtype=float),
    current: wp.array2d(dtype=float),
    params: wp.array(dtype=Params),
    inverse_cell: float,
):
    y, x = wp.tid()
    p = params[0]
    h = sample(current, y, x)
    right = sample(current, y, x + 1)
    left = sample(current, y, x - 1)
    down = sample(current, y + 1, x)
    up = sample(current, y - 1, x)
    laplacian = (right + left + down + up - 4.0 * h) * inverse_cell * inverse_cell
    h0 = sample(previous, y, x)
    previous[y, x] = 2.0 * h - h0 + p.dt * p.dt * (p.k_speed * laplacian - p.k_damp * (h - h0))
