"""The orbit camera: where it stands, how hands move it, and the ray through a pixel. Pure arithmetic, no OpenGL.

World: x right, y up, z towards the default viewer. Angles in degrees. Yaw turns around y (0 looks along -z, from the
viewer's side), pitch lifts the eye (90 is straight above). Pixels are logical window pixels, origin top left, y down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from pyglm import glm

from .pose import Pose, Vector, between

Size = tuple[float, float]

PITCH_LIMIT = 89.0
# Distances of the default grid, 12.8 world units wide; others scale with their extent.
REFERENCE_EXTENT = 12.8
NEAREST, FARTHEST = 5.0, 50.0
DEGREES_PER_PIXEL = 0.3
ZOOM_STEP = 0.9
HOME_YAW, HOME_PITCH = 32.0, 27.0
SIDE_PITCH = 6.0
FRAME_MARGIN = 1.08
# A camera further off than this much of the extent looks at nothing: the target stays within reach.
TARGET_REACH = 1.0


@dataclass
class _Flight:
    start: Pose
    end: Pose
    seconds: float
    elapsed: float = 0.0


class Camera:
    """An orbit camera around a target on or near the water."""

    def __init__(self, extent: Size = (REFERENCE_EXTENT, REFERENCE_EXTENT), fov: float = 40.0) -> None:
        """extent: world width and depth of the grid. fov: vertical opening, degrees."""
        self.fov = fov
        self.extent = extent
        # Width / height of the window: what the framing poses fill.
        self.aspect = 1.6
        # Where the target appears, and how much of the window it may fill, as parts of its width and height.
        self._centre = (0.5, 0.5)
        self._free = (1.0, 1.0)
        self._flight: _Flight | None = None
        self._pose = self.home_pose()

    @property
    def pose(self) -> Pose:
        """Where the camera stands now."""
        return self._pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._flight = None
        self._pose = self._limited(pose)

    @property
    def scale(self) -> float:
        """Size of the grid relative to the default one."""
        return max(*self.extent) / REFERENCE_EXTENT

    @property
    def distance_limits(self) -> tuple[float, float]:
        """Nearest and farthest distance of the eye from the target."""
        return NEAREST * self.scale, FARTHEST * self.scale

    @property
    def eye(self) -> Vector:
        """World position of the eye."""
        return np.asarray(self._pose.target) + self._pose.distance * self._pose.direction()

    def set_extent(self, extent: Size) -> None:
        """Keeps the view when the grid changes size: distance and target scale along."""
        before = self.scale
        self.extent = extent
        ratio = self.scale / before
        x, y, z = self._pose.target
        self.pose = replace(self._pose, distance=self._pose.distance * ratio, target=(x * ratio, y * ratio, z * ratio))

    def set_free_area(self, insets: tuple[float, float, float, float], size: Size) -> None:
        """The part of the window that panels leave free: the target appears in its middle.

        insets: what is covered at (left, top, right, bottom), and size: of the window; both in logical pixels.
        """
        width, height = max(size[0], 1), max(size[1], 1)
        left, top, right, bottom = insets
        self.aspect = width / height
        self._free = (max(width - left - right, 1) / width, max(height - top - bottom, 1) / height)
        self._centre = (0.5 + (left - right) / (2 * width), 0.5 + (top - bottom) / (2 * height))

    # -- hands ---------------------------------------------------------------------------------------------------

    def orbit(self, dx: float, dy: float) -> None:
        """Turns by a drag of (dx, dy) pixels: the scene follows the hand."""
        pose = self._pose
        self.pose = replace(pose, yaw=pose.yaw - dx * DEGREES_PER_PIXEL, pitch=pose.pitch + dy * DEGREES_PER_PIXEL)

    def pan(self, dx: float, dy: float, size: Size) -> None:
        """Moves the target so that what is at the centre follows a drag of (dx, dy) pixels."""
        per_pixel = 2 * self._pose.distance * math.tan(math.radians(self.fov) / 2) / max(size[1], 1)
        right, up, _ = self._axes()
        self._move_target((-dx * right + dy * up) * per_pixel)

    def zoom(
        self, steps: float, cursor: Size | None = None, size: Size | None = None, point: Vector | None = None
    ) -> None:
        """Comes closer by `steps` wheel clicks (negative: backs off) and keeps `point` under the cursor.

        point: what the cursor points at; None takes the still water's level under the cursor, if there is any.
        """
        if point is None and cursor is not None and size is not None:
            point = self._level_point(cursor, size)
        before = self._pose.distance
        self.pose = replace(self._pose, distance=before * ZOOM_STEP**steps)
        if point is not None:
            # Scaling the whole pose about the point leaves the point on its pixel.
            toward = 1 - self._pose.distance / before
            self._move_target((np.asarray(point) - np.asarray(self._pose.target)) * toward)

    # -- poses and flights ---------------------------------------------------------------------------------------

    def home_pose(self) -> Pose:
        """The view that the application opens with."""
        target = (0.0, -0.07 * min(self.extent), 0.0)
        return self._fitting_pose(HOME_YAW, HOME_PITCH, target)

    def fly_to(self, pose: Pose, seconds: float = 0.45) -> None:
        """Eases to `pose`; `update` moves along."""
        turns = round((self._pose.yaw - pose.yaw) / 360)
        end = self._limited(replace(pose, yaw=pose.yaw + 360 * turns))
        self._flight = _Flight(self._pose, end, seconds)
        if seconds <= 0:
            self.update(0)

    def home(self) -> None:
        self.fly_to(self.home_pose())

    def top(self) -> None:
        """Straight from above, rows level."""
        self.fly_to(self._fitting_pose(0.0, PITCH_LIMIT))

    def side(self) -> None:
        """Almost level with the water, from the front."""
        self.fly_to(self._fitting_pose(0.0, SIDE_PITCH))

    def frame_all(self) -> None:
        """The whole grid in view without turning the camera."""
        self.fly_to(self._fitting_pose(self._pose.yaw, self._pose.pitch))

    def update(self, seconds: float) -> bool:
        """Advances a flight by `seconds`; True while the camera moves by itself."""
        flight = self._flight
        if flight is None:
            return False
        flight.elapsed += seconds
        fraction = 1.0 if flight.seconds <= 0 else min(flight.elapsed / flight.seconds, 1.0)
        self._pose = between(flight.start, flight.end, fraction * fraction * (3 - 2 * fraction))
        if fraction >= 1.0:
            self._flight = None
        return self._flight is not None

    # -- matrices and rays ---------------------------------------------------------------------------------------

    def view(self) -> glm.mat4:
        """World to eye space."""
        return glm.lookAt(glm.vec3(*self.eye), glm.vec3(*self._pose.target), glm.vec3(0, 1, 0))

    def projection(self, size: Size) -> glm.mat4:
        """Eye to clip space for a picture of this width and height (only their ratio counts)."""
        near, far = self.clip_distances()
        matrix = glm.perspective(math.radians(self.fov), max(size[0], 1) / max(size[1], 1), near, far)
        # Clip space divides by -z, so a constant offset on the screen is a multiple of z here.
        matrix[2][0] = 1 - 2 * self._centre[0]
        matrix[2][1] = 2 * self._centre[1] - 1
        return matrix

    def clip_distances(self) -> tuple[float, float]:
        """Near and far plane: the scene with its surroundings, and no more than the depth buffer can tell apart."""
        reach = 3.0 * max(*self.extent)
        distance = float(np.linalg.norm(self.eye))
        near = max(distance - reach, 0.02 * self._pose.distance)
        return near, distance + 12.0 * max(*self.extent)

    def ray(self, x: float, y: float, size: Size) -> tuple[Vector, Vector]:
        """Eye and unit direction of the ray through pixel position (x, y); a pixel's centre is at + 0.5."""
        width, height = max(size[0], 1), max(size[1], 1)
        half = math.tan(math.radians(self.fov) / 2)
        right, up, forward = self._axes()
        across = 2 * (x / width - self._centre[0]) * half * width / height
        direction = forward + across * right + 2 * (self._centre[1] - y / height) * half * up
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, point: Vector, size: Size) -> tuple[float, float, float] | None:
        """Pixel position and eye depth of a world point; None when it is behind the eye."""
        width, height = max(size[0], 1), max(size[1], 1)
        half = math.tan(math.radians(self.fov) / 2)
        right, up, forward = self._axes()
        offset = np.asarray(point, dtype=np.float64) - self.eye
        depth = float(offset @ forward)
        if depth <= 0:
            return None
        scale = height / (2 * half * depth)
        x, y = self._centre[0] * width, self._centre[1] * height
        return x + float(offset @ right) * scale, y - float(offset @ up) * scale, depth

    # -- inside --------------------------------------------------------------------------------------------------

    def _axes(self) -> tuple[Vector, Vector, Vector]:
        """Right, up and forward of the eye. Pitch never reaches 90, so right is always defined."""
        forward = -self._pose.direction()
        yaw = math.radians(self._pose.yaw)
        right = np.array([math.cos(yaw), 0.0, -math.sin(yaw)])
        return right, np.cross(right, forward), forward

    def _limited(self, pose: Pose) -> Pose:
        nearest, farthest = self.distance_limits
        reach = TARGET_REACH * max(*self.extent)
        x, y, z = (min(max(value, -reach), reach) for value in pose.target)
        pitch = min(max(pose.pitch, -PITCH_LIMIT), PITCH_LIMIT)
        return Pose(pose.yaw, pitch, min(max(pose.distance, nearest), farthest), (x, y, z))

    def _move_target(self, offset: Vector) -> None:
        x, y, z = np.asarray(self._pose.target) + offset
        self.pose = replace(self._pose, target=(float(x), float(y), float(z)))

    def _level_point(self, cursor: Size, size: Size) -> Vector | None:
        """Where the cursor's ray meets y = 0 within reach of the grid."""
        origin, direction = self.ray(*cursor, size)
        if abs(direction[1]) < 1e-6:
            return None
        along = -origin[1] / direction[1]
        point = origin + along * direction
        near_grid = abs(point[0]) < self.extent[0] and abs(point[2]) < self.extent[1]
        return point if along > 0 and near_grid else None

    def _fitting_pose(self, yaw: float, pitch: float, target: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Pose:
        """The closest pose allowed around `target` that shows all of the grid with a little air around it."""
        pose = Pose(yaw, pitch, 1.0, target)
        back = pose.direction()
        right = np.array([math.cos(math.radians(yaw)), 0.0, -math.sin(math.radians(yaw))])
        up = np.cross(back, right)
        corners = np.array(
            [(sx * self.extent[0] / 2, 0.0, sz * self.extent[1] / 2) for sx in (-1, 1) for sz in (-1, 1)]
        )
        corners -= target
        half = math.tan(math.radians(self.fov) / 2)
        across = np.abs(corners @ right) / (half * self.aspect * self._free[0])
        along = np.abs(corners @ up) / (half * self._free[1])
        # A corner is in view from the distance d when its offset is within the opening at depth d - corner . back.
        distance = float(np.max(np.maximum(across, along) + corners @ back))
        # Within the limits: where the camera is flown to must be where it then stands, or home would not be home.
        return self._limited(replace(pose, distance=FRAME_MARGIN * distance))
