"""The mesh of the walls: no solid cell is left out, on grids of any size."""

from __future__ import annotations

import numpy as np
import pytest
from whitecap.app.view.obstacle_mesh import coarser, quads


def random_walls(rows: int, columns: int) -> np.ndarray:
    return (np.random.default_rng(rows * columns).random((rows, columns)) < 0.05).astype(np.uint8) * 255


@pytest.mark.parametrize("shape", [(1, 1), (5, 9), (64, 40), (100, 7)])
@pytest.mark.parametrize("most", [1, 4, 16, 100])
def test_a_coarser_mask_is_solid_exactly_where_some_cell_is(shape: tuple[int, int], most: int) -> None:
    solid = random_walls(*shape)
    solid[0, -1] = 255
    mask, stride = coarser(solid, most)
    assert max(mask.shape) <= most
    wanted = np.zeros(mask.shape, bool)
    for row, column in np.argwhere(solid):
        wanted[row // stride, column // stride] = True
    assert ((mask > 0) == wanted).all()


def test_a_mask_that_fits_stays_as_it_is() -> None:
    solid = random_walls(8, 8)
    mask, stride = coarser(solid, 8)
    assert stride == 1
    assert mask is solid


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (9, 1), (12, 17)])
def test_triangles_cover_every_solid_cell_and_the_gaps_around_it_once(shape: tuple[int, int]) -> None:
    solid = random_walls(*shape)
    solid[-1, 0] = 255
    width = 2 * shape[1]
    covered = np.zeros((2 * shape[0] - 1, width - 1))
    for triangle in quads(solid).reshape(-1, 3):
        rows, columns = np.divmod(triangle, width)
        assert np.ptp(rows) == np.ptp(columns) == 1
        covered[rows.min(), columns.min()] += 0.5
    assert set(np.unique(covered)) <= {0.0, 1.0}
    for row, column in np.argwhere(solid):
        assert covered[max(2 * row - 1, 0) : 2 * row + 2, max(2 * column - 1, 0) : 2 * column + 2].all()


def test_far_from_walls_there_is_nothing_to_draw() -> None:
    solid = np.zeros((100, 100), np.uint8)
    solid[50, 50] = 255
    assert len(quads(solid)) == 7 * 7


@pytest.mark.parametrize("rising", [True, False])
def test_quads_are_split_along_a_slanting_edge(rising: bool) -> None:
    y, x = np.mgrid[:20, :20]
    solid = ((x + y > 19) if rising else (x > y)).astype(np.uint8)
    width = 40
    rows, columns = np.divmod(quads(solid).reshape(-1, 2, 3).astype(int), width)
    beside = rows + columns - width if rising else rows - columns
    near = np.abs(beside).max(axis=(1, 2)) <= 3
    # The edge that both triangles of a quad share goes down to the left, or down to the right.
    for row, column in zip(rows[near], columns[near]):
        one, other = (set(zip(*corners)) for corners in zip(row, column))
        (top, left), (bottom, right) = sorted(one & other)
        assert (bottom - top, right - left) == (1, -1 if rising else 1)
