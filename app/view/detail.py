"""How finely a frame is drawn, by what draws it and what for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detail:
    """Texels a side of the baked textures, and mesh lines a side at the most."""

    sky: int
    caustics: int
    caustics_lines: int
    surface_lines: int


# A graphics card; a software rasteriser with time for a still picture; and one that has to keep moving.
CARD = Detail(sky=1024, caustics=1024, caustics_lines=512, surface_lines=1024)
STILL = Detail(sky=1024, caustics=896, caustics_lines=320, surface_lines=512)
FLUENT = Detail(sky=512, caustics=384, caustics_lines=144, surface_lines=256)
