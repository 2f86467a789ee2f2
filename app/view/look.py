"""How the surface is shown: every choice of the view, as one plain value."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from .colormaps import DEFAULT_COLORMAP, names

MODES = ("water", "data")

# field -> (least, greatest) of the numbers that a person may set
LIMITS: dict[str, tuple[float, float]] = {
    "sun_azimuth": (-360.0, 360.0),
    "sun_elevation": (5.0, 90.0),
    "absorption": (0.0, 4.0),
    "exaggeration": (0.0, 20.0),
    "depth": (0.0, 1000.0),
    "clouds": (0.0, 1.0),
    "value_range": (1e-6, 1e6),
    "contour_interval": (0.0, 1e6),
    "shading": (0.0, 1.0),
    "samples": (0, 16),
}


@dataclass
class Look:
    """Choices of the view; `to_dict` and `from_dict` keep them in files."""

    mode: str = "water"

    # Layers of the water.
    sky: bool = True
    reflection: bool = True
    refraction: bool = True
    caustics: bool = True
    sun: bool = True
    walls: bool = True

    # Degrees; azimuth as the camera's yaw: 0 is the viewer's side, 90 the right.
    sun_azimuth: float = -124.0
    sun_elevation: float = 46.0
    clouds: float = 0.8
    # How strongly the water tints, 1 is a clear pool.
    absorption: float = 1.0
    # What drawn heights are multiplied by.
    exaggeration: float = 1.0
    # Depth of the basin, world units; 0 is chosen from its width.
    depth: float = 0.0

    # The data view.
    colormap: str = DEFAULT_COLORMAP
    auto_range: bool = True
    # The fixed range is -value_range to +value_range.
    value_range: float = 0.5
    contours: bool = False
    # Height between contour lines; 0 is chosen from the range.
    contour_interval: float = 0.0
    wireframe: bool = False
    # 0: the table's exact colours; 1: fully shaded relief.
    shading: float = 0.0
    # Colours with numbers at the right edge, in pictures without panels too.
    colorbar: bool = True

    # Multisampling, and whether the software rasteriser may drop layers to stay fluent.
    samples: int = 4
    auto_quality: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name), type(field.default))

    def to_dict(self) -> dict[str, Any]:
        """Plain values by field name."""
        return asdict(self)

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Look:
        """The look with these values; fields left out keep their defaults. Raises ValueError, one line for a person."""
        known = {field.name for field in fields(Look)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"look.{unknown[0]} is unknown: allowed here are {', '.join(sorted(known))}")
        return Look(**{name: _whole(name, value) for name, value in values.items()})


def _whole(name: str, value: Any) -> Any:
    """Files may write 1 for 1.0."""
    is_float = isinstance(Look.__dataclass_fields__[name].default, float)
    return float(value) if is_float and isinstance(value, int) and not isinstance(value, bool) else value


def _check(name: str, value: Any, kind: type) -> None:
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits:
        raise ValueError(f"look.{name} is {value!r}: give {_KIND_NAMES[kind]}")
    if name == "mode" and value not in MODES:
        raise ValueError(f"look.mode is {value!r}: give one of {', '.join(MODES)}")
    if name == "colormap" and value not in names():
        raise ValueError(f"look.colormap is {value!r}: give one of {', '.join(names())}")
    if name in LIMITS:
        low, high = LIMITS[name]
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(f"look.{name} is {value:g}: give a number from {low:g} to {high:g}")


_KIND_NAMES = {float: "a number", int: "a whole number", bool: "true or false", str: "a name"}
