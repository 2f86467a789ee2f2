"""Least, greatest and typical height of a surface, found on the graphics card; read later without waiting, or now."""

from __future__ import annotations

import math
from dataclasses import dataclass

import moderngl
import numpy as np

from .release import release_all
from .shader import draw_plainly, load_program

# Each step reads blocks of this many texels squared.
BLOCK = 16


@dataclass(frozen=True)
class Statistics:
    """Of all heights of one moment; not finite once a height is not."""

    low: float
    high: float
    rms: float


class StatisticsPass:
    """Reduces a texture step by step to one texel."""

    def __init__(self, context: moderngl.Context, values: moderngl.Texture) -> None:
        self._context = context
        self._values = values
        self._program = load_program(context, "statistics", vertex="fullscreen")
        self._triangle = context.vertex_array(self._program, [])
        sizes = [_blocks(values.size)]
        while sizes[-1] != (1, 1):
            sizes.append(_blocks(sizes[-1]))
        self._levels = [context.texture(size, 4, dtype="f4") for size in sizes]
        self._targets = [context.framebuffer([level]) for level in self._levels]
        self._results = [context.buffer(np.zeros(4, np.float32)) for _ in range(2)]

    def start(self) -> None:
        """Begins the reduction on the card."""
        self._program["values"] = 0
        self._program["block"] = BLOCK
        source = self._values
        for level, target in zip(self._levels, self._targets):
            source.use(0)
            self._program["first"] = source is self._values
            draw_plainly(self._context, target, self._triangle)
            source = level
        self._results.reverse()
        source.read_into(self._results[0])

    def read(self) -> Statistics:
        """What the start before the last one found, which is there without waiting."""
        return self._statistics(self._results[1])

    def read_newest(self) -> Statistics:
        """What the last start found; waits for it."""
        return self._statistics(self._results[0])

    def _statistics(self, result: moderngl.Buffer) -> Statistics:
        low, high, squares, _ = np.frombuffer(result.read(), dtype=np.float32)
        # The shader divides by full blocks at every step; what the grid does not fill is put right here.
        width, height = self._values.size
        filled = width * height / float(BLOCK) ** (2 * len(self._levels))
        return Statistics(float(low), float(high), math.sqrt(float(squares) / filled))

    def release(self) -> None:
        release_all(self._context, self._triangle, self._program, *self._targets, *self._levels, *self._results)


def _blocks(size: tuple[int, int]) -> tuple[int, int]:
    return math.ceil(size[0] / BLOCK), math.ceil(size[1] / BLOCK)
