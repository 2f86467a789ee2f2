"""The ray's first meeting with the surface, against a slow search along the ray."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator
from whitecap.app.picking import pick

CELL = 0.1


def smooth(rows: int, columns: int, seed: int, amplitude: float = 0.4) -> np.ndarray:
    """Hills a few cells wide."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    heights = np.zeros((rows, columns))
    for _ in range(6):
        kx, ky, phase = random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), random.uniform(0, 6.3)
        heights += np.sin(kx * x + ky * y + phase)
    return (amplitude / 6 * heights).astype(np.float32)


def height_function(heights: np.ndarray, scale: float = 1.0):
    """Bilinear between cell centres, level from the outermost ones to the border; NaN outside."""
    padded = np.pad(heights.astype(np.float64), 1, mode="edge") * scale
    rows, columns = heights.shape
    y = np.concatenate([[-0.5], np.arange(rows), [rows - 0.5]])
    x = np.concatenate([[-0.5], np.arange(columns), [columns - 0.5]])
    return RegularGridInterpolator((y, x), padded, bounds_error=False)


def searched(heights: np.ndarray, origin: np.ndarray, direction: np.ndarray, reach: float) -> float | None:
    """Distance of the first change of sign among 200,000 samples along the ray, then halved 60 times."""
    surface = height_function(heights)
    rows, columns = heights.shape

    def clearance(along: np.ndarray) -> np.ndarray:
        points = origin + np.multiply.outer(along, direction)
        x = points[..., 0] / CELL + (columns - 1) / 2
        y = points[..., 2] / CELL + (rows - 1) / 2
        return points[..., 1] - surface(np.stack([y, x], axis=-1))

    along = np.linspace(0, reach, 200_000)
    values = clearance(along)
    with np.errstate(invalid="ignore"):
        crossings = np.flatnonzero(values[:-1] * values[1:] <= 0)
    if not crossings.size:
        return None
    low, high = along[crossings[0]], along[crossings[0] + 1]
    sign = np.sign(clearance(np.array([low]))[0])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.sign(clearance(np.array([middle]))[0]) == sign else (low, middle)
    return float(low)


def ray_to(point: np.ndarray, origin: np.ndarray) -> np.ndarray:
    direction = point - origin
    return direction / np.linalg.norm(direction)


@pytest.mark.parametrize("shape", [(32, 32), (17, 61), (5, 3), (2, 2)])
@pytest.mark.parametrize("above", [True, False])
def test_agrees_with_a_search_along_the_ray(shape: tuple[int, int], above: bool) -> None:
    heights = smooth(*shape, seed=shape[0])
    extent = np.array([shape[1], shape[0]]) * CELL
    random = np.random.default_rng(3)
    for _ in range(12):
        side = 1 if above else -1
        x, y, z = random.uniform(-1, 1), random.uniform(0.05, 2.0), random.uniform(-1, 1)
        origin = np.array([x * extent[0], side * (0.5 + y), z * extent[1]])
        inside = random.uniform(-0.5, 0.5, 2) * extent
        direction = ray_to(np.array([inside[0], 0.0, inside[1]]), origin)
        expected = searched(heights, origin, direction, 3 * float(extent.max()) + 5)
        hit = pick(heights, CELL, origin, direction)
        assert (hit is None) == (expected is None)
        if hit is not None:
            assert hit.distance == pytest.approx(expected, abs=1e-6)


def test_grazing_rays_find_the_first_crest() -> None:
    heights = smooth(64, 64, seed=8)
    found = 0
    for height in np.linspace(-0.4, 0.4, 41):
        origin = np.array([-5.0, height, 0.4])
        direction = ray_to(np.array([5.0, height - 0.02, -0.3]), origin)
        expected = searched(heights, origin, direction, 12)
        hit = pick(heights, CELL, origin, direction)
        assert (hit is None) == (expected is None)
        if hit is not None:
            found += 1
            assert hit.distance == pytest.approx(expected, abs=1e-5)
    assert found > 10


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 1000), st.floats(-8, 8), st.floats(-3, 3), st.floats(-8, 8), st.floats(-1, 1), st.floats(-1, 1))
def test_a_hit_lies_on_the_ray_and_on_the_surface(seed, x, y, z, pitch, turn) -> None:
    rows, columns = 9 + seed % 7, 9 + seed % 5
    heights = np.random.default_rng(seed).uniform(-0.5, 0.5, (rows, columns)).astype(np.float32)
    origin, direction = np.array([x, y, z]), np.array([np.sin(3 * turn), pitch, np.cos(3 * turn)])
    hit = pick(heights, CELL, origin, direction)
    if hit is None:
        return
    assert np.asarray(hit.point) == pytest.approx(origin + hit.distance * direction, abs=1e-9)
    column, row = hit.cell
    assert -0.5 - 1e-6 <= column <= columns - 0.5 + 1e-6
    assert -0.5 - 1e-6 <= row <= rows - 0.5 + 1e-6
    clamped = np.clip([row, column], -0.5, [rows - 0.5, columns - 0.5])
    assert hit.point[1] == pytest.approx(float(height_function(heights)(clamped)[0]), abs=1e-6)


def test_cell_coordinates_follow_the_axes() -> None:
    heights = np.zeros((40, 60), np.float32)
    for column, row in [(0, 0), (59, 39), (10.25, 30.75), (-0.4, 39.4)]:
        point = np.array([(column - 29.5) * CELL, 0.0, (row - 19.5) * CELL])
        origin = np.array([1.0, 5.0, 2.0])
        hit = pick(heights, CELL, origin, ray_to(point, origin))
        assert hit is not None
        assert hit.cell == pytest.approx((column, row), abs=1e-9)


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (1, 1)])
def test_one_cell_wide_grids_are_as_wide_as_a_cell(shape: tuple[int, int]) -> None:
    heights = np.full(shape, 0.25, np.float32)
    origin = np.array([0.3, 4.0, 0.2])
    for offset, inside in [(0.049, True), (0.051, False)]:
        x, z = (offset, 0.0) if shape[1] == 1 else (0.0, offset)
        hit = pick(heights, CELL, origin, ray_to(np.array([x, 0.25, z]), origin))
        assert (hit is not None) == inside


def test_straight_down_and_straight_up() -> None:
    heights = smooth(16, 16, seed=4)
    for y, direction in [(3.0, -1.0), (-3.0, 1.0)]:
        hit = pick(heights, CELL, np.array([0.05, y, -0.35]), np.array([0.0, direction, 0.0]))
        assert hit is not None
        expected = float(height_function(heights)([-3.5 + 7.5, 0.5 + 7.5])[0])
        assert hit.point == pytest.approx((0.05, expected, -0.35), abs=1e-6)
    assert pick(heights, CELL, np.array([0.0, 3.0, 0.0]), np.array([0.0, 1.0, 0.0])) is None


def test_rays_that_miss_return_none() -> None:
    heights = np.zeros((16, 16), np.float32)
    for origin, direction in [
        ([0, 2, 0], [0.3, 0.5, 0.1]),
        ([10, 2, 0], [0, -1, 0]),
        ([10, 2, 0], [1, -1, 0]),
        ([0, 2, 0], [1, 0, 0]),
        ([0, 2, 0], [0, 0, 0]),
    ]:
        assert pick(heights, CELL, np.array(origin, float), np.array(direction, float)) is None


def test_exaggeration_moves_the_surface() -> None:
    heights = np.full((16, 16), 0.2, np.float32)
    hit = pick(heights, CELL, np.array([0.0, 5.0, 0.01]), np.array([0.0, -1.0, 0.0]), scale=3.0)
    assert hit is not None
    assert hit.point[1] == pytest.approx(0.6, abs=1e-6)


def test_broken_heights_are_holes_and_not_hits() -> None:
    heights = np.zeros((16, 16), np.float32)
    heights[4:12, 4:12] = np.nan
    down = np.array([0.0, -1.0, 0.001])
    assert pick(heights, CELL, np.array([0.0, 2.0, 0.0]), down) is None
    assert pick(heights, CELL, np.array([0.7, 2.0, 0.0]), down) is not None
    heights[:] = np.inf
    assert pick(heights, CELL, np.array([0.7, 2.0, 0.0]), down) is None


def test_a_large_grid_is_read_only_along_the_ray() -> None:
    """Rows that the ray does not cross may hold anything."""
    heights = np.full((2048, 2048), np.nan, np.float32)
    heights[1000:1050] = 0.0
    origin = np.array([-150.0, 30.0, 0.0])
    hit = pick(heights, CELL, origin, ray_to(np.array([3.0, 0.0, 0.5]), origin))
    assert hit is not None
    assert hit.point == pytest.approx((3.0, 0.0, 0.5), abs=1e-9)
