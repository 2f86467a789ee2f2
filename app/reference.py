"""The `wave` scene in NumPy float64, written from the equations: what the kernels are checked against."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .scene import OFF_GRID, Grid


@dataclass
class WaveReference:
    """The same state as the scene: current and previous heights, shape (height, width), float64."""

    grid: Grid
    k_speed: float = 60.0
    k_damp: float = 1000.0
    radius: float = 5.0
    magnitude: float = 0.3
    heights: np.ndarray = field(init=False)
    heights_prev: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.heights = np.zeros(self.grid.shape)
        self.heights_prev = np.zeros(self.grid.shape)

    def displace(self, x: float, y: float) -> None:
        """Adds the brush at (x, y), in cells, to both grids."""
        rows, columns = np.ogrid[: self.grid.height, : self.grid.width]
        ratio = ((columns - x) ** 2 + (rows - y) ** 2) / self.radius**2
        bump = self.magnitude * np.where(ratio < 1.0, 1.0 - ratio, 0.0)
        self.heights += bump
        self.heights_prev += bump

    def solve(self) -> None:
        """One sub-step."""
        acceleration = self.k_speed * self.laplacian() - self.k_damp * (self.heights - self.heights_prev)
        newer = 2.0 * self.heights - self.heights_prev + self.grid.dt**2 * acceleration
        self.heights, self.heights_prev = newer, self.heights

    def laplacian(self) -> np.ndarray:
        """Five-point Laplacian of the current heights, neighbours clamped at the border."""
        h = np.pad(self.heights, 1, mode="edge")
        around: np.ndarray = h[1:-1, 2:] + h[1:-1, :-2] + h[2:, 1:-1] + h[:-2, 1:-1]
        return (around - 4.0 * self.heights) / self.grid.cell**2

    def frame(self, mouse: tuple[float, float] = OFF_GRID) -> None:
        """One frame: the brush once, then every sub-step."""
        self.displace(*mouse)
        for _ in range(self.grid.substeps):
            self.solve()

    def energy(self) -> float:
        """The discrete scheme's own energy, in u²/s² cells; see `energy`."""
        return energy(self.heights, self.heights_prev, self.grid, self.k_speed, self.k_damp)


def energy(heights: np.ndarray, heights_prev: np.ndarray, grid: Grid, k_speed: float, k_damp: float) -> float:
    """Kinetic plus potential energy of a state, in u²/s² cells: each sub-step multiplies it by exactly 1 - k_damp dt².

    The potential part pairs both time levels, which makes an undamped step conserve it; the middle term does the same
    for the damped one. Inside the stable range it is positive for every state but rest.
    """
    h, h0 = heights.astype(np.float64), heights_prev.astype(np.float64)
    mu = k_damp * grid.dt**2
    moved = h - h0
    kinetic = float(np.sum(moved**2) + mu * np.sum(moved * h0)) / (2 * grid.dt**2)
    slopes = sum(float(np.sum(np.diff(h, axis=axis) * np.diff(h0, axis=axis))) for axis in (0, 1))
    return kinetic + 0.5 * k_speed / grid.cell**2 * slopes


def mode_shape(grid: Grid, m: int, n: int) -> np.ndarray:
    """The standing mode (m, n): an exact eigenvector of the clamped Laplacian, shape (height, width)."""
    x = np.cos(np.pi * m * (np.arange(grid.width) + 0.5) / grid.width)
    y = np.cos(np.pi * n * (np.arange(grid.height) + 0.5) / grid.height)
    return np.outer(y, x)


def mode_eigenvalue(grid: Grid, m: int, n: int) -> float:
    """The Laplacian's eigenvalue for the mode (m, n), at most 0, in 1/u²."""
    sine2 = np.sin(np.pi * m / (2 * grid.width)) ** 2 + np.sin(np.pi * n / (2 * grid.height)) ** 2
    return float(-4.0 * sine2 / grid.cell**2)


def mode_root(grid: Grid, m: int, n: int, k_speed: float, k_damp: float) -> complex:
    """The amplitude's factor a sub-step, z = decay * exp(i phase), upper half plane.

    The scheme's recurrence for one mode is z² - (2 - mu + dt² k_speed eigenvalue) z + (1 - mu) = 0, mu = k_damp dt².
    """
    mu = k_damp * grid.dt**2
    b = 2.0 - mu + grid.dt**2 * k_speed * mode_eigenvalue(grid, m, n)
    root = np.sqrt(complex(b * b / 4.0 - (1.0 - mu)))
    return complex(b / 2.0 + root) if root.imag >= 0 else complex(b / 2.0 - root)


def mode_frequency(grid: Grid, m: int, n: int, k_speed: float, k_damp: float) -> tuple[float, float]:
    """(angular frequency in rad/s, decay rate in 1/s) of the mode in the discrete scheme."""
    z = mode_root(grid, m, n, k_speed, k_damp)
    return float(np.angle(z)) / grid.dt, -float(np.log(abs(z))) / grid.dt
