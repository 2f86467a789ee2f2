"""The basin: inner walls and floor, stone rim and deck, as one small vertex buffer."""

from __future__ import annotations

from itertools import pairwise

import moderngl
import numpy as np
from numpy.typing import NDArray

from .materials import stone_texture
from .release import release_all
from .scene_block import Basin, Grid
from .shader import load_program
from .surface import Surface
from .variants import bind_textures

# Width of the rim and of its rounded edges, as parts of its height above the water.
RIM_WIDTH, ROUNDING = 1.15, 0.16
DECK_REACH = 11.0

Vertices = NDArray[np.float32]
Point = tuple[float, float, float, float]
Corner = tuple[tuple[float, float, float], tuple[float, float, float]]


class BasinPass:
    """Draws what is around the water: first the deck, then (after the water, which hides most of it) the inside."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._stone = stone_texture(context)
        self._deck_program = load_program(context, "deck")
        self._inside_programs = {
            caustics: load_program(context, "basin", defines=["CAUSTICS"] if caustics else [])
            for caustics in (False, True)
        }
        self._buffer: moderngl.Buffer | None = None
        self._deck: moderngl.VertexArray | None = None
        self._inside: dict[bool, moderngl.VertexArray] = {}
        self._deck_first = self._deck_count = 0
        self._built: tuple[Basin, Grid] | None = None

    def build(self, basin: Basin, grid: Grid) -> None:
        """Makes the mesh for this basin unless it is there already."""
        if self._built == (basin, grid):
            return
        self._drop_mesh()
        inside, deck = basin_mesh(basin, DECK_REACH * max(grid.extent))
        self._buffer = self._context.buffer(np.concatenate([inside, deck]).tobytes())
        self._deck_first, self._deck_count = len(inside), len(deck)
        content = [(self._buffer, "3f 3f", "in_position", "in_normal")]
        self._deck = self._context.vertex_array(self._deck_program, content)
        self._inside = {key: self._context.vertex_array(it, content) for key, it in self._inside_programs.items()}
        self._built = (basin, grid)

    def draw_deck(self, basin: Basin, sky_map: moderngl.Texture) -> None:
        assert self._deck is not None
        bind_textures(self._deck_program, stone=self._stone, sky_map=sky_map)
        self._deck_program["stone_size"] = 9.0 * basin.tile
        self._deck_program["rim_width"] = RIM_WIDTH * basin.rim
        self._render(self._deck, self._deck_first, self._deck_count)

    def draw_inside(self, surface: Surface, caustics: bool, textures: dict[str, moderngl.Texture]) -> None:
        """textures: tiles, caustics."""
        array = self._inside[caustics]
        bind_textures(array.program, slopes=surface.slopes, **textures)
        self._render(array, 0, self._deck_first)

    def release(self) -> None:
        self._drop_mesh()
        release_all(self._context, self._stone, self._deck_program, *self._inside_programs.values())

    def _render(self, array: moderngl.VertexArray, first: int, count: int) -> None:
        """Faces turned away are not drawn, so walls hide nothing from outside."""
        self._context.enable(moderngl.CULL_FACE)
        array.render(moderngl.TRIANGLES, vertices=count, first=first)
        self._context.disable(moderngl.CULL_FACE)

    def _drop_mesh(self) -> None:
        release_all(self._context, self._deck, *self._inside.values(), self._buffer)
        self._deck = self._buffer = None
        self._inside = {}


def basin_mesh(basin: Basin, reach: float) -> tuple[Vertices, Vertices]:
    """Triangles of the inside and of rim and deck, each (N, 6) float32: position, normal.

    Counter-clockwise from the side that is seen.
    """
    rim = basin.rim
    width, soft = RIM_WIDTH * rim, ROUNDING * rim
    level = rim - soft
    # From the floor's edge outwards: (offset from the water's edge, height, normal outwards, normal up).
    wall = [(0.0, -basin.floor, -1.0, 0.0), (0.0, level, -1.0, 0.0)]
    stone = [
        (0.0, level, -1.0, 0.0),
        (0.29 * soft, rim - 0.29 * soft, -0.7, 0.7),
        (soft, rim, 0.0, 1.0),
        (width - soft, rim, 0.0, 1.0),
        (width - 0.29 * soft, rim - 0.29 * soft, 0.45, 0.89),
        (width, level, 0.55, 0.83),
    ]
    deck = [(width, level, 0.0, 1.0), (reach, level, 0.0, 1.0)]
    hx, hz, y = basin.half_width, basin.half_depth, -basin.floor
    floor = _quad([((sx * hx, y, sz * hz), (0.0, 1.0, 0.0)) for sx, sz in ((-1, -1), (-1, 1), (1, 1), (1, -1))])
    return (
        np.concatenate([*_sides(basin, wall), floor]),
        np.concatenate([*_sides(basin, stone), *_sides(basin, deck)]),
    )


def _sides(basin: Basin, profile: list[Point]) -> list[Vertices]:
    return [_strip(basin, side, a, b) for a, b in pairwise(profile) for side in range(4)]


def _strip(basin: Basin, side: int, lower: Point, upper: Point) -> Vertices:
    """The quad between two points of the profile on one of the four sides, mitred at the corners."""
    outward = ((0, 1), (1, 0), (0, -1), (-1, 0))[side]
    along = (-outward[1], outward[0])

    def corner(point: Point, end: int) -> Corner:
        offset, height, normal_out, normal_up = point
        hx, hz = basin.half_width + offset, basin.half_depth + offset
        x, z = (outward[0] + end * along[0]) * hx, (outward[1] + end * along[1]) * hz
        return (x, height, z), (outward[0] * normal_out, normal_up, outward[1] * normal_out)

    return _quad([corner(lower, -1), corner(lower, 1), corner(upper, 1), corner(upper, -1)])


def _quad(corners: list[Corner]) -> Vertices:
    rows = [(*position, *normal) for position, normal in corners]
    return np.array([rows[index] for index in (0, 1, 2, 0, 2, 3)], dtype=np.float32)
