"""The colour bar as a picture: the colours from low to high, and ticks with their numbers, on a dark ground."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .colorbar import Colorbar

TITLE = "height, u"
FONT_SIZE = 14.0
_GROUND, _INK = (14, 23, 32, 190), (235, 240, 245, 255)


def colorbar_image(bar: Colorbar, height: int, scale: float) -> NDArray[np.uint8]:
    """(rows, columns, 4) uint8, straight alpha. height: pixels of the colours. scale: pixels to a logical one."""
    font = _font(max(round(FONT_SIZE * scale), 6))
    em = FONT_SIZE * scale
    pad, width, tick, head = round(0.5 * em), round(1.1 * em), round(0.35 * em), round(2.1 * em)
    texts = [text for _, text in bar.ticks]
    beside = max((font.getlength(text) for text in texts), default=0.0)
    columns = round(2 * pad + max(width + 2 * tick + beside, font.getlength(TITLE)))
    image = Image.new("RGBA", (columns, head + height + 2 * pad), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, image.width - 1, image.height - 1), radius=round(0.3 * em), fill=_GROUND)
    draw.text((pad, 0.4 * head + pad / 2), TITLE, fill=_INK, font=font, anchor="lm")
    colours = Image.fromarray(np.ascontiguousarray(bar.lut[::-1, None, :])).resize((width, height))
    image.paste(colours, (pad, head))
    for value, text in bar.ticks:
        y = head + round((height - 1) * (bar.high - value) / (bar.high - bar.low))
        draw.line((pad + width, y, pad + width + tick, y), fill=_INK, width=max(1, round(scale)))
        draw.text((pad + width + 2 * tick, y), text, fill=_INK, font=font, anchor="lm")
    return np.asarray(image)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The panels' font where it is installed, else Pillow's own."""
    spec = find_spec("imgui_bundle")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "assets" / "fonts" / "Roboto" / "Roboto-Regular.ttf"
        if path.is_file():
            return ImageFont.truetype(str(path), size)
    return ImageFont.load_default(size)
