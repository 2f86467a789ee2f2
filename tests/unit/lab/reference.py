"""The tank in NumPy float64, written from the equations: what the kernels are compared with."""

from __future__ import annotations

import numpy as np

REFLECTS, FIXED, WRAPS, OPEN = 0, 1, 2, 3


class ReferenceTank:
    """h, h0: heights now and a sub-step ago. speed, damping: the medium. edges: codes of left, right, far, near."""

    def __init__(self, shape: tuple[int, int], cell: float, dt: float, k_speed: float, k_damp: float) -> None:
        self.h, self.h0 = np.zeros(shape), np.zeros(shape)
        self.speed, self.damping = np.ones(shape), np.zeros(shape)
        self.edges = (REFLECTS,) * 4
        self.cell, self.dt, self.k_speed, self.k_damp = cell, dt, k_speed, k_damp
        self.y, self.x = np.mgrid[: shape[0], : shape[1]].astype(float)

    def frame(self, steps: np.ndarray, brush: tuple[float, ...] | None = None) -> None:
        """steps: (sub-steps, sources) of the drive's table. brush: (x0, y0, x1, y1, radius, magnitude)."""
        if brush is not None:
            *segment, radius, magnitude = brush
            self._add(magnitude * np.maximum(1 - self._distance2(*segment) / radius**2, 0))
        for row in steps:
            for step in row:
                if step["push"] != 0:
                    d2 = self._distance2(*(float(step[name]) for name in ("x0", "y0", "x1", "y1")))
                    self._add(float(step["push"]) * np.maximum(1 - d2 / float(step["radius"]) ** 2, 0) ** 2)
            self._step()

    def _add(self, height: np.ndarray) -> None:
        height = np.where(self.speed > 0, height, 0)
        self.h = self.h + height
        self.h0 = self.h0 + height

    def _distance2(self, x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
        dx, dy = x1 - x0, y1 - y0
        length = dx * dx + dy * dy
        t = np.clip(((self.x - x0) * dx + (self.y - y0) * dy) / length, 0, 1) if length else 0.0
        return (self.x - x0 - t * dx) ** 2 + (self.y - y0 - t * dy) ** 2

    def _step(self) -> None:
        flow = np.zeros_like(self.h)
        for axis, sign, code in ((1, -1, 0), (1, 1, 1), (0, -1, 2), (0, 1, 3)):
            flow += self._from_neighbour(axis, sign, self.edges[code])
        lap = flow / self.cell**2
        lost = self.k_damp * self.dt**2 + self.damping * np.sqrt(self.k_speed) * self.dt
        new = 2 * self.h - self.h0 + self.dt**2 * self.k_speed * self.speed * lap - lost * (self.h - self.h0)
        new = np.where(self.damping < 0, self._soaked(), new)
        new = np.where(self._open_sides()[0] > 0, self._run_out(), new)
        self.h0, self.h = self.h, np.where(self.speed > 0, new, 0)

    def _soaked(self) -> np.ndarray:
        """Absorbing walls: one-way waves from the water beside them, weighted by its speed."""
        total, arriving = np.zeros_like(self.h), np.zeros_like(self.h)
        for axis, sign in ((1, -1), (1, 1), (0, -1), (0, 1)):
            inside = np.ones_like(self.h)
            rim = [slice(None), slice(None)]
            rim[axis] = slice(-1, None) if sign > 0 else slice(0, 1)
            inside[tuple(rim)] = 0
            weight = inside * np.roll(np.where(self.damping >= 0, self.speed, 0.0), -sign, axis)
            total += weight
            arriving += weight * (np.roll(self.h, -sign, axis) - self.h)
        cells = np.sqrt(self.k_speed) * self.dt / self.cell
        return np.where(total > 0, self.h + cells * arriving / np.where(total > 0, total, 1), 0)

    def _open_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """For each cell: at how many open edges it lies, and the sum of what arrives from inside."""
        count, arriving = np.zeros_like(self.h), np.zeros_like(self.h)
        for axis, sign, code in ((1, -1, 0), (1, 1, 1), (0, -1, 2), (0, 1, 3)):
            if self.edges[code] == OPEN:
                rim = [slice(None), slice(None)]
                rim[axis] = slice(-1, None) if sign > 0 else slice(0, 1)
                inner, wet = np.roll(self.h, sign, axis), np.roll(self.speed > 0, sign, axis)
                count[tuple(rim)] += 1
                arriving[tuple(rim)] += np.where(wet, inner - self.h, 0.0)[tuple(rim)]
        return count, arriving

    def _run_out(self) -> np.ndarray:
        count, arriving = self._open_sides()
        cells = np.sqrt(self.k_speed * self.speed) * self.dt / self.cell
        return self.h + cells * (arriving / np.maximum(count, 1) - self.h / self.h.shape[1])

    def _from_neighbour(self, axis: int, sign: int, edge: int) -> np.ndarray:
        """The neighbour's height less one's own, on one side; at the rim by the rule of its edge."""
        other, open_cells = np.roll(self.h, -sign, axis), np.roll(self.speed > 0, -sign, axis)
        flow = np.where(open_cells, other - self.h, 0.0)
        rim = [slice(None), slice(None)]
        rim[axis] = slice(-1, None) if sign > 0 else slice(0, 1)
        where = tuple(rim)
        if edge in (REFLECTS, OPEN):
            flow[where] = 0
        elif edge == FIXED:
            flow[where] = -2 * self.h[where]
        return flow
