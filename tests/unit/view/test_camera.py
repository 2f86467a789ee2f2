"""The orbit camera: limits, rays, zoom and framing, against plain geometry and GLM's own matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm
from whitecap.app.camera import FARTHEST, NEAREST, PITCH_LIMIT, Camera, Pose

SIZES = [(1280, 800), (500, 900), (641, 479)]
finite = st.floats(-1e4, 1e4)


def through_matrices(camera: Camera, point: np.ndarray, size: tuple[int, int]) -> tuple[float, float]:
    """Pixel of a world point by way of the matrices that the shaders get."""
    clip = camera.projection(size) * camera.view() * glm.vec4(*point, 1.0)
    return (clip.x / clip.w + 1) / 2 * size[0], (1 - clip.y / clip.w) / 2 * size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pose", [Pose(32, 27, 18), Pose(-140, 89, 9, (2, 0, -1)), Pose(700, -35, 40, (0, 1, 3))])
def test_projection_agrees_with_the_matrices(pose: Pose, size: tuple[int, int]) -> None:
    camera = Camera()
    camera.pose = pose
    for point in np.random.default_rng(1).uniform(-3, 3, (20, 3)):
        place = camera.project(point, size)
        assert place is not None
        assert place[:2] == pytest.approx(through_matrices(camera, point, size), abs=0.02)


@pytest.mark.parametrize("size", SIZES)
def test_ray_through_a_pixel_comes_back_to_that_pixel(size: tuple[int, int]) -> None:
    camera = Camera()
    for x, y in [(0, 0), (size[0], size[1]), (size[0] / 2, size[1] / 2), (17.5, 333.25)]:
        origin, direction = camera.ray(x, y, size)
        assert np.linalg.norm(direction) == pytest.approx(1)
        place = camera.project(origin + 7.5 * direction, size)
        assert place is not None
        assert place[:2] == pytest.approx((x, y), abs=1e-6)


def test_ray_through_the_centre_looks_at_the_target() -> None:
    camera = Camera()
    camera.pose = Pose(10, 40, 12, (1.0, 0.5, -2.0))
    origin, direction = camera.ray(640, 400, (1280, 800))
    assert origin + 12 * direction == pytest.approx(np.array([1.0, 0.5, -2.0]))


def test_a_camera_at_home_comes_back_when_a_narrow_window_grows() -> None:
    camera = Camera()
    before = camera.pose
    camera.set_free_area((0, 0, 0, 0), (40, 900))
    camera.pose = camera.home_pose()
    assert camera.pose == camera.home_pose()  # though the basin would fit only from beyond the farthest distance
    assert camera.pose.distance <= FARTHEST
    camera.set_free_area((0, 0, 0, 0), (1600, 1000))
    camera.pose = camera.home_pose()
    assert camera.pose.text() == before.text()


def test_a_point_behind_the_eye_has_no_pixel() -> None:
    camera = Camera()
    origin, direction = camera.ray(640, 400, (1280, 800))
    assert camera.project(origin - direction, (1280, 800)) is None


@given(finite, finite, st.floats(-200, 200))
def test_no_hand_movement_leaves_the_limits(dx: float, dy: float, steps: float) -> None:
    camera = Camera()
    camera.orbit(dx, dy)
    camera.zoom(steps, cursor=(100, 100), size=(1280, 800))
    camera.pan(dx, dy, (1280, 800))
    assert -PITCH_LIMIT <= camera.pose.pitch <= PITCH_LIMIT
    assert NEAREST - 1e-9 <= camera.pose.distance <= FARTHEST + 1e-9
    assert all(math.isfinite(value) and abs(value) <= 12.8 for value in camera.pose.target)


def test_distance_limits_scale_with_the_grid() -> None:
    assert Camera((12.8, 12.8)).distance_limits == (5, 50)
    assert Camera((25.6, 3.0)).distance_limits == (10, 100)


def test_dragging_right_turns_the_scene_right() -> None:
    camera = Camera()
    camera.pose = Pose(0, 20, 20)
    near = np.array([0.0, 0.0, 5.0])
    before = camera.project(near, (800, 800))
    camera.orbit(10, 0)
    after = camera.project(near, (800, 800))
    assert before is not None
    assert after is not None
    assert after[0] > before[0]


@pytest.mark.parametrize("steps", [1, 4, -3])
def test_zoom_keeps_the_point_under_the_cursor(steps: float) -> None:
    camera, size, cursor = Camera(), (1280, 800), (900.0, 300.0)
    origin, direction = camera.ray(*cursor, size)
    point = origin - origin[1] / direction[1] * direction
    camera.zoom(steps, cursor=cursor, size=size)
    place = camera.project(point, size)
    assert place is not None
    assert place[:2] == pytest.approx(cursor, abs=1e-6)


def test_zoom_keeps_a_given_point_under_the_cursor() -> None:
    camera, size = Camera(), (1280, 800)
    point = np.array([1.0, 0.8, -2.0])
    before = camera.project(point, size)
    camera.zoom(2, point=point)
    after = camera.project(point, size)
    assert before is not None
    assert after is not None
    assert after[:2] == pytest.approx(before[:2], abs=1e-6)


def test_zoom_stops_moving_at_the_nearest_distance() -> None:
    camera = Camera()
    camera.zoom(1000, cursor=(900, 300), size=(1280, 800))
    pose = camera.pose
    camera.zoom(5, cursor=(200, 500), size=(1280, 800))
    assert camera.pose == pose


def test_pan_moves_the_target_with_the_hand() -> None:
    camera, size = Camera(), (1280, 800)
    target = np.asarray(camera.pose.target)
    camera.pan(40, -25, size)
    place = camera.project(target, size)
    assert place is not None
    assert place[:2] == pytest.approx((680, 375), abs=0.5)


@pytest.mark.parametrize("extent", [(12.8, 12.8), (20.0, 7.0), (6.4, 6.4), (3.0, 204.8)])
@pytest.mark.parametrize("aspect", [1.6, 0.6, 2.4])
@pytest.mark.parametrize("view", ["home", "top", "side", "frame_all"])
def test_every_named_view_shows_the_whole_grid(extent: tuple[float, float], aspect: float, view: str) -> None:
    camera = Camera(extent)
    camera.aspect = aspect
    getattr(camera, view)()
    while camera.update(0.05):
        pass
    size = (800 * aspect, 800)
    nearest, farthest = camera.distance_limits
    if not nearest < camera.pose.distance < farthest:
        pytest.skip("the limits of the distance hold first")
    for x in (-0.5, 0.5):
        for z in (-0.5, 0.5):
            place = camera.project(np.array([x * extent[0], 0.0, z * extent[1]]), size)
            assert place is not None
            assert 0 <= place[0] <= size[0]
            assert 0 <= place[1] <= size[1]


@pytest.mark.parametrize("insets", [(320, 0, 0, 0), (0, 30, 200, 60), (300, 40, 300, 0)])
@pytest.mark.parametrize("view", ["home", "top"])
def test_the_grid_fits_into_what_the_panels_leave_free(insets: tuple[int, int, int, int], view: str) -> None:
    camera, (width, height) = Camera(), (1280, 800)
    camera.set_free_area(insets, (width, height))
    getattr(camera, view)()
    camera.update(60)
    left, top, right, bottom = insets
    for x in (-6.4, 6.4):
        for z in (-6.4, 6.4):
            place = camera.project(np.array([x, 0.0, z]), (width, height))
            assert place is not None
            assert left <= place[0] <= width - right
            assert top <= place[1] <= height - bottom
    target = camera.project(np.asarray(camera.pose.target), (width, height))
    assert target is not None
    assert target[:2] == pytest.approx(((left + width - right) / 2, (top + height - bottom) / 2))


def test_a_free_area_moves_matrices_rays_and_projection_alike() -> None:
    camera, size = Camera(), (1280, 800)
    camera.set_free_area((322, 24, 10, 100), size)
    for x, y in [(0, 0), (900.5, 120.25)]:
        origin, direction = camera.ray(x, y, size)
        point = origin + 9 * direction
        assert camera.project(point, size)[:2] == pytest.approx((x, y), abs=1e-6)
        assert through_matrices(camera, point, size) == pytest.approx((x, y), abs=0.02)
        assert through_matrices(camera, point, (2560, 1600)) == pytest.approx((2 * x, 2 * y), abs=0.04)


def test_flight_starts_here_ends_there_and_takes_the_short_way_round() -> None:
    camera = Camera()
    camera.pose = Pose(350, 10, 10)
    camera.fly_to(Pose(10, 50, 20), seconds=1.0)
    assert camera.update(0.5)
    middle = camera.pose
    assert 350 < middle.yaw < 370
    assert 10 < middle.pitch < 50
    assert not camera.update(0.6)
    assert camera.pose.yaw == pytest.approx(370)
    assert (camera.pose.pitch, camera.pose.distance) == (50, 20)
    assert not camera.update(1.0)


def test_a_hand_on_the_camera_ends_a_flight() -> None:
    camera = Camera()
    camera.top()
    camera.update(0.1)
    camera.orbit(1, 1)
    assert not camera.update(0.1)


def test_pose_text_comes_back() -> None:
    pose = Pose(-12.5, 33.25, 17.75, (1.5, -0.25, 1e-3))
    assert Pose.parse(pose.text()) == pose
    assert Pose.parse(f"  {pose.text()}\n") == pose


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yaw=1",
        "yaw=a pitch=2 distance=3 target=0,0,0",
        "yaw=1 pitch=2 distance=0 target=0,0,0",
        "yaw=1 pitch=2 distance=-3 target=0,0,0",
        "yaw=1 pitch=2 distance=3 target=0,0",
        "yaw=1e999 pitch=2 distance=3 target=0,0,0",
        "yaw=nan pitch=2 distance=3 target=0,0,0",
        "yaw=1 pitch=2 distance=3 target=0,0,0 and more",
        "x" * 10_000,
    ],
)
def test_other_text_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"camera pose: .* the form is yaw=") as caught:
        Pose.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_parsed_pose_is_held_within_the_limits() -> None:
    camera = Camera()
    camera.pose = Pose.parse("yaw=0 pitch=400 distance=9999 target=1e6,0,0")
    assert (camera.pose.pitch, camera.pose.distance, camera.pose.target[0]) == (PITCH_LIMIT, FARTHEST, 12.8)


def test_changing_the_extent_keeps_the_picture() -> None:
    camera, size = Camera((12.8, 12.8)), (1280, 800)
    before = camera.project(np.array([3.2, 0.0, -6.4]), size)
    camera.set_extent((25.6, 25.6))
    after = camera.project(np.array([6.4, 0.0, -12.8]), size)
    assert before is not None
    assert after is not None
    assert after[:2] == pytest.approx(before[:2], abs=1e-6)


@pytest.mark.parametrize("pose", [Pose(0, 0, 5), Pose(45, 89, 50), Pose(0, -89, 50), Pose(30, 5, 5, (12.8, 0, 12.8))])
def test_the_grid_lies_between_the_clip_planes(pose: Pose) -> None:
    camera = Camera()
    camera.pose = pose
    near, far = camera.clip_distances()
    assert 0 < near < far
    corners = np.array([(x, 0, z) for x in (-6.4, 6.4) for z in (-6.4, 6.4)])
    assert np.linalg.norm(corners - camera.eye, axis=1).max() < far
    assert near <= 0.5 * pose.distance


@pytest.mark.parametrize("size", [(0, 0), (0, 600), (800, 0)])
def test_an_empty_window_gives_finite_numbers(size: tuple[int, int]) -> None:
    camera = Camera()
    assert all(math.isfinite(value) for column in camera.projection(size).to_list() for value in column)
    assert np.isfinite(camera.ray(0, 0, size)[1]).all()
