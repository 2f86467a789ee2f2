"""One place of the camera, and its form as a line of text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_POSE = re.compile(
    rf"\s*yaw={_NUMBER}\s+pitch={_NUMBER}\s+distance={_NUMBER}\s+target={_NUMBER},{_NUMBER},{_NUMBER}\s*"
)


@dataclass(frozen=True)
class Pose:
    """One place of the camera: degrees, and world units for the rest."""

    yaw: float
    pitch: float
    distance: float
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def text(self) -> str:
        """The pose as one line, read back by `parse`."""
        x, y, z = self.target
        return f"yaw={self.yaw:.6g} pitch={self.pitch:.6g} distance={self.distance:.6g} target={x:.6g},{y:.6g},{z:.6g}"

    @staticmethod
    def parse(text: str) -> Pose:
        """The pose that `text` describes. Raises ValueError with one line for a person."""
        match = _POSE.fullmatch(text)
        values = [float(group) for group in match.groups()] if match else []
        if not values or not all(math.isfinite(value) for value in values) or values[2] <= 0:
            shown = " ".join(text.split())[:60]
            raise ValueError(f"camera pose: '{shown}' is none; the form is yaw=30 pitch=25 distance=20 target=0,0,0")
        yaw, pitch, distance, x, y, z = values
        return Pose(yaw, pitch, distance, (x, y, z))

    def direction(self) -> Vector:
        """Unit vector from the target to the eye."""
        yaw, pitch = math.radians(self.yaw), math.radians(self.pitch)
        return np.array([math.sin(yaw) * math.cos(pitch), math.sin(pitch), math.cos(yaw) * math.cos(pitch)])


def between(start: Pose, end: Pose, fraction: float) -> Pose:
    """The pose a fraction of the way from `start` to `end`; exactly `end` at 1."""

    def mix(a: float, b: float) -> float:
        return a + (b - a) * fraction

    # Distances are mixed as ratios, so that zooming looks even.
    distance = start.distance * (end.distance / start.distance) ** fraction
    x, y, z = (mix(a, b) for a, b in zip(start.target, end.target))
    if fraction >= 1.0:
        return end
    return Pose(mix(start.yaw, end.yaw), mix(start.pitch, end.pitch), distance, (x, y, z))
