"""The data view: exact colours at known heights, lines where they belong, and picking that agrees with the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from whitecap.app.camera import Pose
from whitecap.app.picking import pick
from whitecap.app.view.colormaps import lut, names

PLAIN = {"mode": "data", "auto_range": False, "value_range": 0.5, "samples": 0, "auto_quality": False}


@pytest.fixture
def look():
    from whitecap.app.view.look import Look

    return Look(**PLAIN, colorbar=False)


def centre(pixels: np.ndarray) -> tuple[int, ...]:
    return tuple(int(value) for value in pixels[pixels.shape[0] // 2, pixels.shape[1] // 2])


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("entry", [0, 1, 64, 127, 128, 200, 255])
def test_a_level_surface_has_exactly_the_colour_of_its_height(stage, look, name: str, entry: int) -> None:
    height = -0.5 + entry / 255
    pixels = stage.photograph(np.full((8, 8), height), replace(look, colormap=name), "top", (64, 64))
    assert centre(pixels) == tuple(int(value) for value in lut(name)[entry])


def test_heights_beyond_the_range_take_the_end_colours(stage, look) -> None:
    for height, entry in [(-7.0, 0), (7.0, 255)]:
        camera = Pose(0, 89, 20)
        pixels = stage.photograph(np.full((128, 128), height), look, camera, (64, 64))
        assert centre(pixels) == tuple(int(value) for value in lut(look.colormap)[entry])


@pytest.mark.parametrize("samples", [0, 4])
def test_multisampling_keeps_the_colours_inside_and_softens_the_edge(stage, look, samples: int) -> None:
    pixels = stage.photograph(np.zeros((16, 16)), replace(look, samples=samples), Pose(20, 40, 3), (160, 120))
    assert centre(pixels) == pytest.approx(lut(look.colormap)[127:129].mean(axis=0), abs=1)
    light = pixels.astype(int).sum(axis=2)
    inside, outside = light[60, 80], light[2, 2]
    between = ((light > outside + 120) & (light < inside - 120)).sum()
    assert (between > 20) == (samples > 0)


@pytest.mark.parametrize("pose", [Pose(32, 27, 18), Pose(-130, 60, 12), Pose(200, 12, 10)])
@pytest.mark.parametrize("size", [(320, 200), (180, 260)])
def test_the_picked_cell_is_the_one_that_is_drawn_there(stage, look, pose: Pose, size: tuple[int, int]) -> None:
    """Colours tell the height at each pixel, and heights are different in every place along both axes."""
    columns = np.linspace(-0.45, 0.45, 128)
    for heights in (np.tile(columns, (128, 1)), np.tile(columns[:, None], (1, 128))):
        shown = replace(look, colormap="grey")
        pixels = stage.photograph(heights, shown, pose, size)
        found = 0
        for y in range(5, size[1], 23):
            for x in range(5, size[0], 19):
                ray = stage.camera.ray(x + 0.5, y + 0.5, size)
                hit = pick(heights.astype(np.float32), 0.1, *ray)
                if hit is None or not (2 < hit.cell[0] < 125 and 2 < hit.cell[1] < 125):
                    continue
                found += 1
                assert pixels[y, x, 0] == pytest.approx(255 * (hit.point[1] + 0.5), abs=2)
        assert found > 20


def test_exaggeration_lifts_the_picture_and_not_the_colour(stage, look) -> None:
    heights = np.full((128, 128), 0.25)
    flat = stage.photograph(heights, look, Pose(0, 10, 15))
    tall = stage.photograph(heights, replace(look, exaggeration=8.0), Pose(0, 10, 15))
    colour = lut(look.colormap)[191]
    rows = [
        np.flatnonzero((np.abs(picture.astype(int) - colour).max(axis=2) <= 1).any(axis=1)) for picture in (flat, tall)
    ]
    assert rows[0].size
    assert rows[1].size
    assert rows[1].min() < rows[0].min() - 5


def test_shading_follows_the_slope(stage, look) -> None:
    """A tilted plane under full shading: the table's colour times the lamp's cosine, as computed here."""
    slope = 0.1
    x = (np.arange(64) - 31.5) * 0.1
    lamp = np.array([-0.45, 1.0, -0.35])
    lamp /= np.linalg.norm(lamp)
    wide = replace(look, colormap="grey", value_range=1000.0, shading=1.0)
    for tilt in (slope, -slope, 0.0):
        pixels = stage.photograph(np.tile(tilt * x, (64, 1)), wide, "top", (64, 64))
        normal = np.array([-tilt, 1.0, 0.0]) / np.hypot(tilt, 1.0)
        expected = 127.5 * (0.25 + 0.75 * (normal @ lamp) / lamp[1])
        assert pixels[32, 32] == pytest.approx(expected, abs=1.5)


def test_contour_lines_stand_half_an_interval_off_zero(stage, look) -> None:
    x = np.linspace(-0.5, 0.5, 128)
    heights = np.tile(x, (128, 1))
    plain = stage.photograph(heights, replace(look, colormap="grey"), "top", (400, 400))
    lined = stage.photograph(
        heights, replace(look, colormap="grey", contours=True, contour_interval=0.25), "top", (400, 400)
    )
    row = np.abs(lined[200].astype(int) - plain[200].astype(int)).sum(axis=1)
    groups = np.split(np.flatnonzero(row > 40), np.flatnonzero(np.diff(np.flatnonzero(row > 40)) > 1) + 1)
    levels = [plain[200, int(np.median(group)), 0] / 255 - 0.5 for group in groups]
    assert levels == pytest.approx([-0.375, -0.125, 0.125, 0.375], abs=0.012)


def test_still_water_has_no_contour_lines(stage, look) -> None:
    still = np.random.default_rng(0).normal(0, 1e-5, (128, 128))
    lined = stage.photograph(still, replace(look, contours=True, value_range=0.1), "top")
    assert np.array_equal(lined, stage.photograph(still, replace(look, value_range=0.1), "top"))


def test_the_wireframe_goes_through_cell_centres(stage, look) -> None:
    pixels = [
        stage.photograph(np.zeros((8, 8)), replace(look, wireframe=wire), "top", (400, 400)).astype(int)
        for wire in (False, True)
    ]
    dark = np.abs(pixels[0] - pixels[1]).sum(axis=2)[205:235].min(axis=0) > 20
    columns = [
        int(np.mean(group))
        for group in np.split(np.flatnonzero(dark), np.flatnonzero(np.diff(np.flatnonzero(dark)) > 1) + 1)
    ]
    expected = [stage.camera.project(np.array([(i - 3.5) * 0.1, 0.0, 0.02]), (400, 400))[0] for i in range(8)]
    assert columns == pytest.approx(expected, abs=1.5)


def test_the_automatic_range_and_its_colour_bar_fit_the_heights(stage, look) -> None:
    heights = np.tile(np.linspace(-0.2, 0.2, 64), (64, 1))
    stage.photograph(heights, replace(look, auto_range=True), "top")
    for _ in range(300):
        stage.photograph(heights[:4, :4] * 0, look, "top", (1, 1))
    bar = stage.renderer.colorbar
    assert bar is not None
    assert (bar.low, bar.high) == (-0.5, 0.5)
    assert [value for value, _ in bar.ticks] == pytest.approx([-0.4, -0.2, 0, 0.2, 0.4])
    assert np.array_equal(bar.lut, lut(look.colormap))


def test_the_colour_bar_is_part_of_the_picture(stage, look) -> None:
    """At the right edge: the colours from high to low in a column, and numbers beside them."""
    heights = np.zeros((8, 8))
    shown = replace(look, auto_range=False, value_range=0.5, colorbar=True)
    pixels = stage.photograph(heights, shown, "top", (400, 300)).astype(int)
    colours = lut(look.colormap).astype(int)
    right = pixels[:, 320:]
    for index in (20, 128, 235):
        near = np.abs(right - colours[index]).sum(axis=2) < 24
        assert near.any(), f"colour {index} is not in the bar"
    high, low = (np.argwhere(np.abs(right - colours[index]).sum(axis=2) < 24)[:, 0].mean() for index in (235, 20))
    assert high < 150 < low
    assert (right.min(axis=2) > 215).sum() > 40  # numbers
    small = stage.photograph(heights, shown, "top", (60, 40))
    assert small.shape == (40, 60, 3)


def test_water_has_no_colour_bar(stage) -> None:
    from whitecap.app.view.look import Look

    stage.photograph(np.zeros((8, 8)), Look(), size=(32, 20))
    assert stage.renderer.colorbar is None


def test_walls_are_drawn_instead_of_heights(stage, look) -> None:
    walls = np.zeros((32, 32), np.uint8)
    walls[12:20, 12:20] = 1
    pixels = stage.photograph(np.zeros((32, 32)), look, "top", (64, 64), walls=walls)
    grey = pixels[32, 32].astype(int)
    assert np.ptp(grey) <= 2
    assert grey[0] < 130
    assert tuple(pixels[32, 8]) == tuple(stage.photograph(np.zeros((32, 32)), look, "top", (64, 64))[32, 8])
