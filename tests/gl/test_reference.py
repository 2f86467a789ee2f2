"""Small pictures against stored ones, on the software rasteriser only: the same eyes every time.

After a wanted change, run this file with WHITECAP_UPDATE_REFERENCE=1 and look at the new pictures.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from whitecap.app.camera import Pose
from whitecap.app.view.look import Look
from whitecap.app.view.picture import write_png
from whitecap.app.view.scene_block import Hover

FOLDER = Path(__file__).parent / "reference"
SIZE = (240, 150)


def ripples() -> np.ndarray:
    """Two rings that cross."""
    y, x = np.mgrid[0:96, 0:96]
    heights = np.zeros((96, 96))
    for column, row, radius in [(30, 40, 20), (66, 58, 26)]:
        away = np.hypot(x - column, y - row)
        heights += 0.09 * np.cos(0.55 * (away - radius)) * np.exp(-(((away - radius) / 9) ** 2))
    return heights


def block() -> np.ndarray:
    mask = np.zeros((96, 96), np.uint8)
    mask[44:52, 10:40] = 1
    return mask


STILL = {"auto_quality": False}
DATA = {"mode": "data", "colorbar": False}  # letters differ with the versions of the font's renderer
SCENES = {
    "water": (Look(**STILL), "home", {}),
    "water-low-sun": (Look(sun_elevation=12.0, sun_azimuth=-165.0, **STILL), Pose(30, 14, 12, (0, -0.5, 0)), {}),
    "water-below": (Look(**STILL), Pose(30, -25, 14), {}),
    "water-walls-hover": (Look(**STILL), "home", {"walls": block(), "hover": Hover((60, 40), 8)}),
    "water-bare": (Look(reflection=False, refraction=False, caustics=False, walls=False, **STILL), "home", {}),
    "data": (Look(**DATA, contours=True, **STILL), "home", {}),
    "data-top": (Look(**DATA, colormap="cividis", wireframe=True, **STILL), "top", {"walls": block()}),
    "data-shaded": (Look(**DATA, colormap="RdBu", shading=1.0, exaggeration=3.0, **STILL), Pose(30, 30, 14), {}),
}


@pytest.mark.parametrize("name", SCENES)
def test_the_picture_is_the_stored_one(stage, is_software: bool, name: str) -> None:
    if not is_software:
        pytest.skip("stored pictures are of the software rasteriser")
    look, pose, extras = SCENES[name]
    stage.renderer._data._range.value = 0.1
    pixels = stage.photograph(ripples(), look, pose, SIZE, **extras)
    path = FOLDER / f"{name}.png"
    if os.environ.get("WHITECAP_UPDATE_REFERENCE"):
        path.parent.mkdir(exist_ok=True)
        write_png(path, pixels)
    stored = np.asarray(Image.open(path)).astype(int)
    difference = np.abs(pixels.astype(int) - stored).max(axis=2)
    # Rounding differs between versions of the rasteriser: a few pixels at edges, and a step or two elsewhere.
    assert (difference > 24).mean() < 0.01
    assert difference.mean() < 1.5
