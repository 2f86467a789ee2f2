"""The water: each layer does its part, the sun is where the mirror says, and any size of picture works."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from whitecap.app.camera import Camera, Pose
from whitecap.app.view.look import Look
from whitecap.app.view.picture import OffscreenTarget
from whitecap.app.view.quality import LADDER
from whitecap.app.view.renderer import Renderer
from whitecap.app.view.scene_block import Hover
from whitecap.app.view.surface import Surface

LOOK = Look(samples=0, auto_quality=False)


def ripples(rows: int = 64, columns: int = 64) -> np.ndarray:
    y, x = np.mgrid[0:rows, 0:columns]
    away = np.hypot(x - 0.6 * columns, y - 0.4 * rows)
    return 0.08 * np.sin(0.6 * away) * np.exp(-0.04 * away)


def difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Per pixel, the largest channel's difference."""
    return np.abs(a.astype(int) - b.astype(int)).max(axis=2)


@pytest.mark.parametrize("layer", ["sky", "reflection", "refraction", "caustics", "sun", "walls"])
def test_each_layer_can_be_switched_off_and_shows(stage, layer: str) -> None:
    # Low over the water and towards the sun, so that every layer is in the picture.
    look, pose = replace(LOOK, sun_azimuth=-150.0, sun_elevation=14.0), Pose(30, 12, 6)
    everything = stage.photograph(ripples(), look, pose)
    without = stage.photograph(ripples(), replace(look, **{layer: False}), pose)
    assert (difference(everything, without) > 3).mean() > 0.002


def test_all_layers_off_is_still_a_picture(stage) -> None:
    off = {layer: False for layer in ("sky", "reflection", "refraction", "caustics", "sun", "walls")}
    pixels = stage.photograph(ripples(), replace(LOOK, **off))
    assert pixels.std() > 3


@pytest.mark.parametrize("tilt_degrees", [-8.0, 5.0, 10.0])
def test_the_sun_glitters_where_the_tilted_mirror_sends_it(stage, tilt_degrees: float) -> None:
    """A plane tilted along x: the eye at the mirrored angle of the sun sees it, six degrees off it does not."""
    tilt = math.radians(tilt_degrees)
    x = (np.arange(128) - 63.5) * 0.1
    plane = np.tile(math.tan(tilt) * x, (128, 1))
    sun_elevation = 55.0
    # The normal leans towards -x by the tilt; angles are measured from the zenith towards +x (the right, yaw 90).
    sun_angle = 90.0 - sun_elevation
    eye_angle = -2 * tilt_degrees - sun_angle
    look = replace(LOOK, sun_azimuth=90.0, sun_elevation=sun_elevation, clouds=0.0, caustics=False, walls=False)

    def centre_light(angle: float) -> int:
        pixels = stage.photograph(plane, look, Pose(-90.0, 90.0 + angle, 9.0), (64, 64))
        return int(pixels[32, 32].min())

    assert centre_light(eye_angle) > 235
    assert centre_light(eye_angle + 6) < centre_light(eye_angle) - 40
    assert centre_light(eye_angle - 6) < centre_light(eye_angle) - 40


def test_deeper_water_is_darker_and_bluer(stage) -> None:
    shallow, deep = (
        stage.photograph(np.zeros((64, 64)), replace(LOOK, depth=depth), "top", (64, 64))[32, 32].astype(int)
        for depth in (0.5, 6.0)
    )
    assert deep.sum() < shallow.sum() - 30
    assert deep[2] - deep[0] > shallow[2] - shallow[0] + 20


def test_caustics_move_light_and_make_none(stage) -> None:
    """The pattern's mean stays near one: what a crest gathers, its surroundings lack."""
    stage.photograph(ripples(), LOOK)
    texture = stage.renderer._caustics.texture
    pattern = np.frombuffer(texture.read(), np.float16).reshape(texture.height, texture.width).astype(np.float64)
    inner = pattern[texture.height // 5 : -texture.height // 5, texture.width // 5 : -texture.width // 5]
    assert inner.mean() == pytest.approx(1.0, abs=0.12)
    assert inner.std() > 0.1
    stage.photograph(np.zeros((64, 64)), LOOK)
    pattern = np.frombuffer(texture.read(), np.float16).astype(np.float64)
    assert np.median(pattern) == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (2, 2), (1, 1), (97, 131), (64, 300), (700, 700)])
@pytest.mark.parametrize("mode", ["water", "data"])
def test_grids_of_any_shape_are_drawn(stage, shape: tuple[int, int], mode: str) -> None:
    level = stage.photograph(np.zeros(shape), replace(LOOK, mode=mode, auto_range=False), "top", (160, 100))
    lifted = stage.photograph(np.full(shape, 0.3), replace(LOOK, mode=mode, auto_range=False), "top", (160, 100))
    assert level.std() > 3
    assert (difference(level, lifted) > 2).mean() > 0.001


def test_from_below_the_surface_is_seen_and_the_deck_is_not(stage) -> None:
    pose = Pose(30, -30, 14)
    pixels = stage.photograph(np.zeros((128, 128)), LOOK, pose)
    waves = stage.photograph(3 * ripples(128, 128), LOOK, pose)
    assert (difference(pixels, waves) > 8).mean() > 0.05
    blue = pixels[..., 2].astype(int) - pixels[..., 0]
    assert (blue > 0).mean() > 0.9


def test_walls_stand_out_of_the_water(stage) -> None:
    walls = np.zeros((64, 64), np.uint8)
    walls[30:34, :] = 1
    plain = stage.photograph(np.zeros((64, 64)), LOOK, "top", (160, 160))
    walled = stage.photograph(np.zeros((64, 64)), LOOK, "top", (160, 160), walls=walls)
    changed = difference(plain, walled) > 20
    assert changed[78:82, 60:100].all()
    assert not changed[40:60, 60:100].any()


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (400, 3), (641, 479)])
@pytest.mark.parametrize("samples", [0, 4])
def test_any_picture_size_works(stage, size: tuple[int, int], samples: int) -> None:
    assert stage.photograph(ripples(), replace(LOOK, samples=samples), size=size).shape == (size[1], size[0], 3)


def test_the_picture_does_not_depend_on_what_was_drawn_before(stage) -> None:
    first = stage.photograph(ripples(), LOOK)
    stage.photograph(ripples(40, 90), Look(mode="data"), size=(99, 55))
    stage.photograph(ripples(), replace(LOOK, sun_elevation=10.0, samples=4), size=(500, 300))
    assert np.array_equal(stage.photograph(ripples(), LOOK), first)


@pytest.mark.parametrize("pose", [Pose(32, 27, 18), Pose(-100, 60, 9, (2, 0, 1)), Pose(170, 14, 12, (-1, 0, 2))])
@pytest.mark.parametrize("mode", ["water", "data"])
def test_the_hover_ring_lies_around_the_projected_footprint(stage, pose: Pose, mode: str) -> None:
    size, hover = (480, 300), Hover((70.0, 58.0), 9.0)
    look = replace(LOOK, mode=mode, colorbar=False)
    level = np.zeros((128, 128))
    changed = (
        difference(stage.photograph(level, look, pose, size), stage.photograph(level, look, pose, size, hover)) > 25
    )
    ring = []
    for angle in np.linspace(0, 2 * np.pi, 720, endpoint=False):
        column, row = 70 + 9 * np.cos(angle), 58 + 9 * np.sin(angle)
        place = stage.camera.project(np.array([(column - 63.5) * 0.1, 0.0, (row - 63.5) * 0.1]), size)
        if 3 <= place[0] < size[0] - 3 and 3 <= place[1] < size[1] - 3:
            ring.append(place[:2])
    assert len(ring) > 300
    near_ring = [changed[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4].any() for x, y in ring]
    assert np.mean(near_ring) > 0.95
    rows, columns = np.nonzero(changed)
    pixels = np.stack([columns + 0.5, rows + 0.5], axis=1)
    away = np.linalg.norm(pixels[:, None] - np.array(ring)[None], axis=2).min(axis=1)
    assert away.max() < 5.5


def test_an_empty_target_draws_nothing(context, stage) -> None:
    surface, target = Surface(context, 8, 8, 0.1), OffscreenTarget(context, 4, 4)
    target.framebuffer.clear(1.0, 0.0, 0.0)
    for size in [(0, 0), (0, 4), (4, 0)]:
        stage.renderer.draw(surface, Camera(), LOOK, size, target.framebuffer)
    assert (target.read() == (255, 0, 0)).all()
    surface.release()
    target.release()


def test_a_slow_software_renderer_drops_layers_and_says_so(stage, is_software: bool, monkeypatch) -> None:
    if not is_software:
        pytest.skip("layers are dropped on software rasterisers only")
    look = Look()
    quality = stage.renderer._quality
    try:
        quality.reset(len(LADDER) - 1)
        half = stage.photograph(ripples(), look)
        assert "half of the resolution" in stage.renderer.degraded
        full = stage.photograph(ripples(), replace(look, auto_quality=False))
        assert stage.renderer.degraded == []
        assert half.shape == full.shape
        assert (difference(half, full) > 10).any()
        # Still the same scene, only coarser.
        assert difference(half, full).mean() < 12
    finally:
        quality.reset(1)


def test_drawing_time_is_measured(stage) -> None:
    for _ in range(6):
        stage.photograph(ripples(), LOOK, size=(32, 32))
    assert stage.renderer.draw_seconds is not None
    assert 0 < stage.renderer.draw_seconds < 60


def test_a_renderer_gives_everything_back(context, count_objects) -> None:
    before = count_objects()
    renderer = Renderer(context)
    surface, target = Surface(context, 32, 32, 0.1), OffscreenTarget(context, 64, 64, samples=4)
    surface.set_walls(np.eye(32))
    for look in (LOOK, Look(samples=4), Look(mode="data", contours=True), Look(caustics=False, walls=False)):
        for size in [(64, 64), (20, 30)]:
            renderer.draw(surface, Camera(), look, size, target.framebuffer)
    assert target.read().shape == (64, 64, 3)
    for item in (surface, renderer, target):
        item.release()
    assert count_objects() == before
