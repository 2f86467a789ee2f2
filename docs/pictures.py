#!/usr/bin/env python3
"""The six pictures of the README: python docs/pictures.py [name ...]. Look at each one that it makes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PIL import Image
from whitecap.app.arguments import parse
from whitecap.app.offscreen import OffscreenSession

FOLDER = Path(__file__).parent / "images"
DATA = {"mode": "data"}

# Name -> flags, fields of the look, camera (a method's name), frames.
PICTURES: dict[str, tuple[list[str], dict[str, Any], str, int]] = {
    "water": ([], {}, "home", 330),
    "double-slit": (["--preset", "double-slit", "--panels"], {}, "home", 260),
    "two-sources": (["--preset", "two-sources", "--panels"], DATA, "top", 240),
    "doppler": (["--preset", "doppler"], {**DATA, "contours": True}, "home", 300),
    "whispers": (["--preset", "whispering-gallery"], {**DATA, "contours": True}, "top", 160),
    "evening": (["--preset", "rain"], {"sun_elevation": 12.0, "sun_azimuth": -165.0}, "home", 240),
}


def make(name: str) -> Path:
    """Runs the scene off screen and keeps its last frame."""
    flags, look, camera, frames = PICTURES[name]
    with OffscreenSession(parse(["--offscreen", "--size", "1280x800", *flags])[1]) as session:
        application = session.application
        application.swap.wait()
        for field, value in look.items():
            setattr(application.look, field, value)
        for frame in range(frames):
            session.frame(draw=frame >= frames - 60)
            if frame == frames - 30:  # panels have told the camera what they leave free
                getattr(application.camera, camera)()
                application.camera.update(60.0)
        path = FOLDER / f"{name}.jpg"
        Image.fromarray(session.pixels()).save(path, quality=88)
    return path


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        print(make(wanted))
