"""Held keys that move the camera."""

from __future__ import annotations

from .camera import DEGREES_PER_PIXEL, Camera

PIXELS_A_SECOND = 90.0 / DEGREES_PER_PIXEL
"""A held key moves the camera like a drag at this speed: a quarter turn a second."""
ZOOM_STEPS_A_SECOND = 8.0

_DRAGS = {"left": (1, 0), "right": (-1, 0), "up": (0, 1), "down": (0, -1)}


def steer(camera: Camera, held: set[str], seconds: float, size: tuple[int, int]) -> None:
    """Moves the camera by what the held actions ("orbit_left", "pan_up", "zoom_in" ...) ask for in `seconds`."""
    distance = PIXELS_A_SECOND * seconds
    x, y = _direction(held, "orbit")
    if x or y:
        camera.orbit(x * distance, y * distance)
    x, y = _direction(held, "pan")
    if x or y:
        camera.pan(x * distance, y * distance, size)
    steps = ("zoom_in" in held) - ("zoom_out" in held)
    if steps:
        camera.zoom(steps * ZOOM_STEPS_A_SECOND * seconds)


def _direction(held: set[str], what: str) -> tuple[int, int]:
    drags = [drag for name, drag in _DRAGS.items() if f"{what}_{name}" in held]
    return sum(x for x, _ in drags), sum(y for _, y in drags)
