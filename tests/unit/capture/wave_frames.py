"""Records wave frames with both sets of kernels, and computes them with NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import whitecap.capture as wp

from . import wave_kernels as kernels

INVERSE_CELL, K_SPEED, K_DAMP, RADIUS, MAGNITUDE = 10.0, 60.0, 1000.0, 5.0, 0.3


def start_heights(height: int, width: int) -> np.ndarray[Any, Any]:
    return ((np.random.default_rng(height * 1000 + width).random((height, width)) - 0.5) * 0.1).astype(np.float32)


class Frame:
    """A captured frame; `heights` is what is newest after a launch."""

    def __init__(self, height: int, width: int, substeps: int, flat: bool, mouse: tuple[float, float]) -> None:
        start = start_heights(height, width)
        self.first = wp.array(start.reshape(-1) if flat else start)
        self.second = wp.clone(self.first)
        self.mouse = wp.array([mouse], dtype=wp.vec2)
        self.params = wp.array([kernels.Params(k_speed=K_SPEED, k_damp=K_DAMP, dt=1 / 60 / substeps)])
        with wp.ScopedCapture() as capture:
            previous, current = self.first, self.second
            if flat:
                self.displace_flat(previous, current, height, width)
            else:
                inputs = [previous, current, self.mouse, RADIUS, MAGNITUDE]
                wp.launch(kernels.displace, (height, width), inputs=inputs)
            for _ in range(substeps):
                if flat:
                    inputs = [previous, current, width, height, INVERSE_CELL, K_SPEED, K_DAMP, 1 / 60 / substeps]
                    wp.launch(kernels.solve_flat, height * width, inputs=inputs)
                else:
                    wp.launch(kernels.solve, (height, width), inputs=[previous, current, self.params, INVERSE_CELL])
                previous, current = current, previous
        assert capture.graph is not None
        self.graph = capture.graph
        self.current, self.previous = current, previous
        self.shape = (height, width)

    def displace_flat(self, previous: wp.array, current: wp.array, height: int, width: int) -> None:
        inputs = [previous, current, self.mouse, width, height, RADIUS, MAGNITUDE]
        wp.launch(kernels.displace_flat, height * width, inputs=inputs)

    def heights(self) -> np.ndarray[Any, Any]:
        return self.current.numpy().reshape(self.shape)


def reference(height: int, width: int, substeps: int, mouse: tuple[float, float], frames: int) -> np.ndarray[Any, Any]:
    """The same frames in float64, with the two grids in the roles that the captured program gives them."""
    first = start_heights(height, width).astype(np.float64)
    second = first.copy()
    y, x = np.indices((height, width))
    squared = (x - mouse[0]) ** 2 + (y - mouse[1]) ** 2
    push = np.where(squared < RADIUS**2, MAGNITUDE * (1 - squared / RADIUS**2), 0)
    dt = 1 / 60 / substeps
    for _ in range(frames):
        previous, current = first, second
        current += push
        previous += push
        for _ in range(substeps):
            padded = np.pad(current, 1, mode="edge")
            laplacian = padded[1:-1, 2:] + padded[1:-1, :-2] + padded[2:, 1:-1] + padded[:-2, 1:-1] - 4 * current
            laplacian *= INVERSE_CELL**2
            previous[:] = 2 * current - previous + dt * dt * (K_SPEED * laplacian - K_DAMP * (current - previous))
            previous, current = current, previous
    return current
