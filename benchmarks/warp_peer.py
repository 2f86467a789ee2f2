"""The wave frame in NVIDIA Warp: captured with its API Capture, saved, loaded and replayed by its own loader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

CELL, K_SPEED, K_DAMP, RADIUS, MAGNITUDE = 0.1, 60.0, 1000.0, 5.0, 0.3


@wp.func
def height_at(heights: wp.array(dtype=float), column: int, row: int, width: int, height: int):
    return heights[wp.clamp(row, 0, height - 1) * width + wp.clamp(column, 0, width - 1)]


@wp.kernel
def displace(
    previous: wp.array(dtype=float),
    current: wp.array(dtype=float),
    mouse: wp.array(dtype=wp.vec2),
    width: int,
    radius: float,
    magnitude: float,
):
    cell = wp.tid()
    dx = float(cell % width) - mouse[0][0]
    dy = float(cell // width) - mouse[0][1]
    distance2 = dx * dx + dy * dy
    if distance2 < radius * radius:
        added = magnitude * (1.0 - distance2 / (radius * radius))
        current[cell] = current[cell] + added
        previous[cell] = previous[cell] + added


@wp.kernel
def solve(
    previous: wp.array(dtype=float),
    current: wp.array(dtype=float),
    width: int,
    height: int,
    inv_cell: float,
    k_speed: float,
    k_damp: float,
    dt: float,
):
    cell = wp.tid()
    column = cell % width
    row = cell // width
    h = height_at(current, column, row, width, height)
    h0 = height_at(previous, column, row, width, height)
    around = height_at(current, column + 1, row, width, height) + height_at(current, column - 1, row, width, height)
    around = around + height_at(current, column, row + 1, width, height)
    around = around + height_at(current, column, row - 1, width, height)
    laplacian = (around - 4.0 * h) * inv_cell * inv_cell
    previous[cell] = 2.0 * h - h0 + dt * dt * (k_speed * laplacian - k_damp * (h - h0))


class WarpPeer:
    """The same calls as the library's side of the benchmark."""

    name = f"Warp {wp.__version__}"

    def __init__(self) -> None:
        wp.config.quiet = True
        wp.init()
        self.device = wp.get_cuda_device()

    def capture(self, size: int, substeps: int, start: np.ndarray, path: Path) -> None:
        current = wp.array(start.ravel(), dtype=float, device=self.device)
        previous = wp.clone(current)
        mouse = wp.array(np.array([[size / 2, size / 3]], np.float32), dtype=wp.vec2, device=self.device)
        heights, heights_prev = current, previous
        wp.capture_begin(device=self.device, apic=True)
        wp.launch(displace, current.shape, [previous, current, mouse, size, RADIUS, MAGNITUDE], device=self.device)
        for _ in range(substeps):
            values = [size, size, 1.0 / CELL, K_SPEED, K_DAMP, 1.0 / 60.0 / substeps]
            wp.launch(solve, current.shape, [previous, current, *values], device=self.device)
            previous, current = current, previous
        graph = wp.capture_end(device=self.device)
        wp.capture_save(
            graph,
            str(path),
            inputs={"heights": heights, "heights_prev": heights_prev, "mouse_pos": mouse},
            outputs={"heights_out": current},
        )

    def load(self, path: Path) -> Any:
        return wp.capture_load(str(path), device=self.device)

    def launch(self, graph: Any) -> None:
        wp.capture_launch(graph)

    def synchronize(self) -> None:
        wp.synchronize_device(self.device)

    def batch_milliseconds(self, graph: Any, count: int) -> float:
        begin, end = (wp.Event(self.device, enable_timing=True) for _ in range(2))
        wp.record_event(begin)
        for _ in range(count):
            wp.capture_launch(graph)
        wp.record_event(end)
        wp.synchronize_event(end)
        return float(wp.get_event_elapsed_time(begin, end))

    def heights(self, graph: Any, size: int) -> np.ndarray:
        out = wp.zeros(size * size, dtype=float, device=self.device)
        graph.get_param("heights_out", out)
        return out.numpy().reshape(size, size)

    def shipped(self) -> int:
        """Bytes of the native libraries that a host program needs beside the capture."""
        return sum(file.stat().st_size for file in (Path(wp.__file__).parent / "bin").glob("warp.*"))
