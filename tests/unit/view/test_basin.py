"""The basin's geometry: faces that can be seen face the viewer, and the proportions follow the grid."""

from __future__ import annotations

import numpy as np
import pytest
from whitecap.app.view.basin_pass import basin_mesh
from whitecap.app.view.look import Look
from whitecap.app.view.mesh import Mesh
from whitecap.app.view.scene_block import Basin, Grid

GRIDS = [Grid(128, 128, 0.1), Grid(200, 70, 0.1), Grid(2048, 2048, 0.1), Grid(1, 40, 0.1), Grid(2, 2, 0.1)]


@pytest.mark.parametrize("grid", GRIDS)
def test_triangles_turn_the_way_their_normals_point(grid: Grid) -> None:
    for triangles in basin_mesh(Basin.around(grid, Look()), 100.0):
        corners = triangles[:, :3].reshape(-1, 3, 3).astype(np.float64)
        normals = triangles[:, 3:].reshape(-1, 3, 3).mean(axis=1)
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sized = np.linalg.norm(faces, axis=1) > 1e-12
        assert sized.all()
        assert (np.einsum("ij,ij->i", faces, normals) > 0).all()


def test_the_inside_ends_where_the_grid_ends() -> None:
    inside, _ = basin_mesh(Basin.around(Grid(200, 70, 0.1), Look()), 100.0)
    assert np.abs(inside[:, 0]).max() == pytest.approx(10.0)
    assert np.abs(inside[:, 2]).max() == pytest.approx(3.5)


def test_a_depth_that_is_asked_for_is_taken() -> None:
    assert Basin.around(Grid(128, 128, 0.1), Look(depth=1.25)).floor == 1.25


@pytest.mark.parametrize("grid", GRIDS)
def test_proportions_stay_sensible(grid: Grid) -> None:
    basin, extent = Basin.around(grid, Look()), max(grid.extent)
    assert 0 < basin.rim < 0.06 * extent
    assert basin.floor > basin.rim
    assert 10 < extent / basin.tile < 80


@pytest.mark.parametrize(
    ("grid", "most", "expected"),
    [
        (Grid(128, 128, 0.1), 256, (130, 130, 1)),
        (Grid(1, 40, 0.1), 256, (3, 42, 1)),
        (Grid(2, 2, 0.1), 256, (4, 4, 1)),
        (Grid(2048, 1024, 0.1), 1024, (1027, 515, 2)),
        (Grid(97, 131, 0.1), 50, (35, 47, 3)),
    ],
)
def test_the_mesh_has_a_line_on_both_borders_and_no_more_than_asked(grid: Grid, most: int, expected: tuple) -> None:
    mesh = Mesh.of(grid, most)
    assert (mesh.columns, mesh.rows, mesh.stride) == expected
