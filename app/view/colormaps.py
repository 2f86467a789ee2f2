"""Colour tables of the data view, from published control points.

vik: F. Crameri, Scientific colour maps. balance: K. Thyng, cmocean. RdBu: C. Brewer, ColorBrewer. cividis: J. Nunez and
others. viridis: N. Smith and S. van der Walt. All but the last two are diverging: their middle is zero.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Safe for colour-blind eyes, and still water is neutral.
DEFAULT_COLORMAP = "vik"
ENTRIES = 256

# Screen colours (sRGB, hexadecimal) at equal steps from lowest to highest.
_POINTS = {
    "vik": "001261 022b71 034481 0c5e92 307da6 619ebd 94bed2 c6dbe6 ece5e0 "
    "e9cab8 dbaa8d cf8c66 c27041 b2511d 912d06 731406 590008",
    "balance": "181c43 263276 2548b0 0f6abd 3888ba 65a2bc 98bac5 c7d2d7 f1eceb "
    "e2c7be d7a290 cc7d63 bf573a ae2e24 8d1029 630e23 3c0912",
    "RdBu": "67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061",
    "cividis": "00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 "
    "8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838",
    "viridis": "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c "
    "1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725",
    "grey": "000000 ffffff",
}

DIVERGING = ("vik", "balance", "RdBu")


def names() -> tuple[str, ...]:
    """The names of all tables, the default one first."""
    return tuple(_POINTS)


@lru_cache(maxsize=len(_POINTS))
def lut(name: str) -> NDArray[np.uint8]:
    """The table `name` as (256, 3) uint8 screen colours from lowest to highest; read only. Raises KeyError."""
    points = np.array([tuple(bytes.fromhex(text)) for text in _POINTS[name].split()], dtype=np.float64)
    places = np.linspace(0, 1, len(points))
    wanted = np.linspace(0, 1, ENTRIES)
    channels = [np.interp(wanted, places, points[:, channel]) for channel in range(3)]
    table = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    table.flags.writeable = False
    return table
