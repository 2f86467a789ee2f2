"""The height surface on the card: what goes in comes out, and what is derived from it is right."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest
from whitecap.app.picking import pick
from whitecap.app.view.surface import Surface

SHAPES = [(64, 64), (97, 131), (1, 40), (40, 1), (2, 2), (1, 1), (33, 5)]


@pytest.fixture
def surface_of(context: moderngl.Context):
    made: list[Surface] = []

    def make(heights: np.ndarray, cell: float = 0.1) -> Surface:
        surface = Surface(context, heights.shape[1], heights.shape[0], cell)
        made.append(surface)
        surface.upload(np.ascontiguousarray(heights, dtype=np.float32))
        return surface

    yield make
    for surface in made:
        surface.release()


def random_heights(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)


def slopes_of(surface: Surface) -> np.ndarray:
    data = np.frombuffer(surface.slopes.read(), dtype=np.float16)
    return data.reshape(surface.height, surface.width, 4).astype(np.float64)


@pytest.mark.parametrize("shape", SHAPES)
def test_heights_come_back_from_buffer_and_texture(surface_of, shape: tuple[int, int]) -> None:
    heights = random_heights(*shape)
    surface = surface_of(heights)
    assert np.array_equal(surface.read_heights(), heights)
    assert np.array_equal(np.frombuffer(surface.heights.read(alignment=4), np.float32).reshape(shape), heights)


@pytest.mark.parametrize("shape", SHAPES)
def test_slopes_are_central_differences_that_stop_at_the_border(surface_of, shape: tuple[int, int]) -> None:
    heights = random_heights(*shape)
    derived = slopes_of(surface_of(heights, cell=0.25))
    padded = np.pad(heights.astype(np.float64), 1, mode="edge")
    assert derived[..., 0] == pytest.approx(heights, abs=4e-3)
    assert derived[..., 1] == pytest.approx((padded[1:-1, 2:] - padded[1:-1, :-2]) / 0.5, abs=2e-2)
    assert derived[..., 2] == pytest.approx((padded[2:, 1:-1] - padded[:-2, 1:-1]) / 0.5, abs=2e-2)


@pytest.mark.parametrize("shape", SHAPES)
def test_statistics_agree_with_numpy(surface_of, shape: tuple[int, int]) -> None:
    heights = random_heights(*shape)
    surface = surface_of(heights)
    surface.changed()
    found = surface.statistics()
    assert (found.low, found.high) == (heights.min(), heights.max())
    assert found.rms == pytest.approx(np.sqrt(np.mean(heights.astype(np.float64) ** 2)), rel=1e-4)


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_one_broken_height_shows_at_the_next_change(surface_of, broken: float) -> None:
    heights = random_heights(97, 131)
    heights[90, 120] = broken
    surface = surface_of(heights)
    surface.changed()
    low, high = surface.extremes()
    assert not (np.isfinite(low) and np.isfinite(high))


@pytest.mark.parametrize("shape", [(64, 64), (97, 131), (1, 40), (2, 2), (300, 20)])
def test_picking_on_the_card_is_picking_in_memory(surface_of, shape: tuple[int, int]) -> None:
    heights = 0.05 * random_heights(*shape)
    surface = surface_of(heights)
    random = np.random.default_rng(5)
    extent = np.array([shape[1], shape[0]]) * 0.1
    hits = 0
    for _ in range(40):
        origin = np.array([*random.uniform(-2, 2, 3)]) * [extent[0], 1.0, extent[1]]
        aim = random.uniform(-0.6, 0.6, 2) * extent
        direction = np.array([aim[0], 0.0, aim[1]]) - origin
        expected = pick(heights, 0.1, origin, direction, scale=2.0)
        assert surface.pick(origin, direction, scale=2.0) == expected
        hits += expected is not None
    down = np.array([0.0, -1.0, 0.0])
    assert surface.pick(np.array([0.01, 3.0, 0.02]), down) == pick(heights, 0.1, np.array([0.01, 3.0, 0.02]), down)
    assert hits > 5


def test_the_buffer_may_be_filled_behind_the_surface(surface_of) -> None:
    surface = surface_of(np.zeros((8, 8)))
    surface.height_buffer.write(np.full(64, 2.5, np.float32))
    surface.changed()
    assert (slopes_of(surface)[..., 0] == 2.5).all()


def test_a_buffer_of_another_size_is_refused(surface_of) -> None:
    surface = surface_of(np.zeros((8, 8)))
    with pytest.raises(moderngl.Error, match="out of range"):
        surface.upload(np.zeros(65, np.float32))


def test_walls_are_in_the_derived_texture_until_they_are_removed(surface_of) -> None:
    surface = surface_of(np.zeros((6, 9)))
    mask = np.zeros((6, 9), np.uint8)
    mask[2, 3:5] = 1
    surface.set_walls(mask)
    assert np.array_equal(slopes_of(surface)[..., 3] > 0.5, mask > 0)
    surface.set_walls(None)
    assert (slopes_of(surface)[..., 3] == 0).all()
    surface.set_walls(np.zeros((6, 9), np.float32))
    assert surface.obstacles is None


def test_water_goes_on_level_where_a_wall_begins(surface_of) -> None:
    """The wall's own cells hold zero; that step is no wave."""
    heights = np.full((12, 12), 0.3, np.float32)
    mask = np.zeros((12, 12), bool)
    mask[4:9, 4:9] = True
    heights[mask] = 0.0
    surface = surface_of(heights)
    surface.set_walls(mask)
    derived = slopes_of(surface)
    assert derived[..., 1:3] == pytest.approx(0.0, abs=1e-6)
    assert derived[4, 6, 0] == pytest.approx(0.3, abs=1e-3)
    assert derived[6, 6, 0] == 0.0


def test_walls_of_another_shape_are_refused(surface_of) -> None:
    with pytest.raises(ValueError, match=r"\(9, 6\); the grid has \(rows, columns\) \(6, 9\)"):
        surface_of(np.zeros((6, 9))).set_walls(np.zeros((9, 6)))


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5), (10**6, 4)])
def test_impossible_sizes_are_refused(context: moderngl.Context, size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"surface: .* cells were asked for"):
        Surface(context, *size, 0.1)


def test_fifty_surfaces_leave_nothing_behind(context: moderngl.Context, count_objects) -> None:
    before = count_objects()
    for index in range(50):
        surface = Surface(context, 16 + index, 64, 0.1)
        surface.set_walls(np.ones((64, 16 + index)))
        surface.upload(np.zeros((64, 16 + index), np.float32))
        surface.release()
    assert count_objects() == before
