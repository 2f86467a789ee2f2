"""Pictures as walls: read from image files, and kept in documents as runs of equal cells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError, os_error_line
from ..files import require_file
from .walls import Kind, Stamp

if TYPE_CHECKING:
    from PIL import Image


def mask_to_runs(mask: NDArray[np.bool_]) -> list[str]:
    """Rows of a mask as text, "5 3 8": cells of water, of wall, of water, ...; equal rows in a row as "4* 5 3 8"."""
    lines: list[str] = []
    counts: list[int] = []
    for row in mask:
        edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(np.int8)))
        runs = np.diff(np.concatenate(([0], edges, [len(row)])))
        if len(runs) > 1 and runs[-1] == 0:
            runs = runs[:-1]
        line = " ".join(map(str, runs))
        if lines and lines[-1] == line:
            counts[-1] += 1
        else:
            lines.append(line)
            counts.append(1)
    return [line if count == 1 else f"{count}* {line}" for line, count in zip(lines, counts)]


def runs_to_mask(lines: Iterable[str], columns: int, rows: int) -> NDArray[np.bool_]:
    """The inverse of `mask_to_runs`. Raises ValueError, saying which line is wrong and what is needed."""
    mask = np.zeros((rows, columns), dtype=bool)
    row = 0
    for number, line in enumerate(lines, 1):
        head, star, tail = line.partition("*")
        words = (tail if star else head).split()
        if not all(word.isdecimal() for word in words) or (star and not head.strip().isdecimal()):
            raise ValueError(f"line {number} {line[:40]!r}: only whole numbers, and `count*` in front, are allowed")
        count = int(head) if star else 1
        ends = np.cumsum([int(word[:9]) for word in words] or [0])
        if ends[-1] != columns:
            raise ValueError(f"line {number}: its runs add up to {ends[-1]}, but a row has {columns} columns")
        if row + count > rows:
            raise ValueError(f"line {number}: more than {rows} rows")
        for start, end in zip(ends[0::2], ends[1::2]):
            mask[row : row + count, start:end] = True
        row += count
    if row != rows:
        raise ValueError(f"{row} rows are given, {rows} are needed")
    return mask


def _shrunk(image: Image.Image, largest: int) -> NDArray[np.float32]:
    """A picture as (rows, columns, RGBA), 0 to 255, with at most `largest` rows and columns."""
    if image.mode.startswith("I"):  # 16 bits of grey: Pillow neither shrinks these nor scales them when it converts
        image = image.convert("F").point(lambda value: value / 257).convert("L")
    image.thumbnail((largest, largest))
    return np.asarray(image.convert("RGBA"), dtype=np.float32)


def stamp_from_image(path: str, kind: Kind = "reflecting", largest: int = 1024) -> Stamp:
    """A picture file as walls: dark or opaque pixels are wall. Pictures above `largest` pixels a side are shrunk.

    Raises UserError, naming the file, when it can't be read or has no dark part.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        require_file(Path(path))
        with Image.open(path) as image:
            rgba = _shrunk(image, largest)
    except UnidentifiedImageError as error:
        raise UserError(f"{path}: not a picture that can be read; PNG, JPEG, BMP, GIF or WebP is needed") from error
    except OSError as error:
        raise UserError(f"walls from a picture: {os_error_line(error)}") from error
    except (Image.DecompressionBombError, ValueError) as error:
        raise UserError(f"{path}: the picture is too large or broken ({error})") from error
    grey = rgba[..., :3].mean(axis=2)
    clear = rgba[..., 3] < 128
    # A picture drawn on transparent ground shows its walls by opacity, any other one by darkness.
    wall = ~clear if clear.any() else grey < 128
    if not wall.any():
        raise UserError(f"{path}: no pixel is dark (or, on transparent ground, opaque): nothing becomes a wall")
    return Stamp(wall.shape[1], wall.shape[0], wall.astype(np.uint8).tobytes(), kind)
