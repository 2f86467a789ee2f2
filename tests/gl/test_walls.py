"""Walls in the picture: as high everywhere as each other, however thin, and where their cells are."""

from __future__ import annotations

import numpy as np
import pytest
from whitecap.app.camera import Pose
from whitecap.app.view.look import Look
from whitecap.app.view.renderer import OBSTACLE_TOP
from whitecap.app.view.scene_block import Basin, Grid

CELLS = 64
SIZE = (400, 200)
LOOK = Look(samples=0, auto_quality=False, walls=False, colorbar=False)


def line(x: float, y: float, cells: int = CELLS) -> np.ndarray:
    """A line through the middle, one cell wide (by eight neighbours), that way."""
    walls = np.zeros((cells, cells), np.uint8)
    steps = np.arange(-cells // 3, cells // 3)
    walls[np.round(cells / 2 + y * steps).astype(int), np.round(cells / 2 + x * steps).astype(int)] = 1
    return walls


def block() -> np.ndarray:
    walls = np.zeros((CELLS, CELLS), np.uint8)
    walls[24:40, 16:48] = 1
    return walls


def level_with_the_top(look: Look, cells: int = CELLS, yaw: float = 20.0) -> Pose:
    """The eye as high as walls are, looking level: every top, near or far, is the picture's middle row."""
    top = OBSTACLE_TOP * Basin.around(Grid(cells, cells, 0.1), look).rim
    return Pose(yaw, 0.0, 0.07 * cells, (0.0, top, 0.0))


def silhouette(stage, look: Look, walls: np.ndarray, pose: Pose) -> np.ndarray:
    """Pixels that the walls change."""
    heights = np.zeros(walls.shape)
    plain, walled = (stage.photograph(heights, look, pose, SIZE, walls=mask).astype(int) for mask in (None, walls))
    return np.abs(plain - walled).max(axis=2) > 12


@pytest.mark.parametrize("mode", ["water", "data"])
@pytest.mark.parametrize(
    "walls",
    [block(), line(1, 0), line(0, 1), line(1, 1), line(1, -1), line(1, 0.25), line(0.4, -1)],
    ids=["a block", "along x", "along y", "slanting down", "slanting up", "nearly along x", "nearly along y"],
)
def test_every_wall_is_as_high_as_the_others_along_its_length(stage, mode: str, walls: np.ndarray) -> None:
    look = Look(**{**LOOK.to_dict(), "mode": mode})
    shown = silhouette(stage, look, walls, level_with_the_top(look))
    columns = np.flatnonzero(shown.any(axis=0))
    inner = columns[len(columns) // 8 : -len(columns) // 8]
    assert np.ptp(columns) == len(columns) - 1  # in one piece
    highest = shown[:, inner].argmax(axis=0)
    assert highest.min() >= SIZE[1] // 2 - 1
    assert np.median(highest) <= SIZE[1] // 2 + 1
    assert highest.max() <= SIZE[1] // 2 + 5  # a little lower between cells that touch at a corner only


def test_a_single_cell_is_a_pillar(stage) -> None:
    walls = np.zeros((CELLS, CELLS), np.uint8)
    walls[32, 32] = 1
    shown = silhouette(stage, LOOK, walls, level_with_the_top(LOOK))
    assert SIZE[1] // 2 - 1 <= np.flatnonzero(shown.any(axis=1))[0] <= SIZE[1] // 2 + 3


def test_a_thin_wall_is_not_lost_on_a_grid_that_is_drawn_coarsely(stage) -> None:
    walls = line(1, 0, 1600)
    shown = silhouette(stage, LOOK, walls, level_with_the_top(LOOK, 1600))
    columns = np.flatnonzero(shown.any(axis=0))
    assert np.ptp(columns) == len(columns) - 1
    assert len(columns) > SIZE[0] / 4


def test_a_thin_wall_covers_its_cells_from_above(stage) -> None:
    look = Look(**{**LOOK.to_dict(), "mode": "data"})
    thin, thick = np.zeros((2, 32, 32), np.uint8)
    thin[12, 4:28] = 1
    thick[4:28, 4:28] = 1
    plain, *walled = (
        stage.photograph(np.zeros((32, 32)), look, "top", (320, 320), walls=walls).astype(int)
        for walls in (None, thin, thick)
    )
    areas = [(np.abs(picture - plain).max(axis=2) > 12).sum() for picture in walled]
    assert 0.8 / 24 < areas[0] / areas[1] < 1.5 / 24


def test_walls_that_change_are_drawn_as_they_are_now(stage) -> None:
    first = silhouette(stage, LOOK, line(1, 0), level_with_the_top(LOOK))
    silhouette(stage, LOOK, block(), level_with_the_top(LOOK))
    assert (silhouette(stage, LOOK, line(1, 0), level_with_the_top(LOOK)) == first).all()
