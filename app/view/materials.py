"""The basin's textures, made once: pool tiles and deck stone. Colours are stored as square roots of linear light."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..gl_context import facts

Image = NDArray[np.float64]

TILE_PIXELS = 64
TILES = 8
STONE_PIXELS = 512


def tile_texture(context: moderngl.Context) -> moderngl.Texture:
    """8 x 8 glazed tiles, each a little different, with light grout."""
    return _texture(context, _tiles(np.random.default_rng(7)))


def stone_texture(context: moderngl.Context) -> moderngl.Texture:
    """Four slabs of sawn stone in half bond."""
    texture = _texture(context, _stone(np.random.default_rng(11)))
    if not facts(context).is_software:
        texture.anisotropy = min(8.0, context.max_anisotropy)
    return texture


def _texture(context: moderngl.Context, linear: Image) -> moderngl.Texture:
    data = np.rint(255 * np.sqrt(linear.clip(0, 1))).astype(np.uint8)
    texture = context.texture((data.shape[1], data.shape[0]), 3, np.ascontiguousarray(data).tobytes(), alignment=1)
    texture.build_mipmaps()
    texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    return texture


def _tiles(random: np.random.Generator) -> Image:
    size = TILES * TILE_PIXELS
    place = (np.arange(size) % TILE_PIXELS + 0.5) / TILE_PIXELS
    # Distance to the tile's edge in tile widths, rounded at the corners.
    edge = np.minimum(place, 1 - place)
    away = np.minimum(edge[:, None], edge[None, :])
    grout = 0.035
    inside = _smooth((away - grout) / 0.02)
    bevel = _smooth((away - grout) / 0.10)

    lightness = 1 + 0.07 * random.standard_normal((TILES, TILES))
    hue = 0.03 * random.standard_normal((TILES, TILES, 1)) * np.array([1.0, 0.2, -1.0])
    glaze = np.array([0.42, 0.56, 0.62]) * lightness[:, :, None] * (1 + hue)
    glaze = glaze.repeat(TILE_PIXELS, 0).repeat(TILE_PIXELS, 1) * (0.90 + 0.10 * bevel)[:, :, None]
    mortar = np.array([0.26, 0.35, 0.40])
    mottled = 1 + 0.03 * _soft_noise(random, size, 8)
    tiles: Image = (glaze * inside[:, :, None] + mortar * (1 - inside)[:, :, None]) * mottled[:, :, None]
    return tiles


def _stone(random: np.random.Generator) -> Image:
    size = STONE_PIXELS
    half = size // 2
    row, column = np.mgrid[0:size, 0:size]
    shifted = (column + np.where(row < half, 0, half // 2)) % size
    edge = np.minimum.reduce([shifted % half, half - 1 - shifted % half, row % half, half - 1 - row % half])
    joint = _smooth((edge - 0.8) / 2.2)
    slab = (shifted // half) + 2 * (row // half)
    tone = (1 + 0.07 * random.standard_normal(4))[slab]
    grain = 1 + 0.05 * _soft_noise(random, size, 4) + 0.05 * _soft_noise(random, size, 16)
    grain += 0.07 * random.standard_normal((size, size))
    colour = np.array([0.290, 0.250, 0.205]) * (tone * grain)[:, :, None]
    stone: Image = colour * (0.62 + 0.38 * joint)[:, :, None]
    return stone


def _soft_noise(random: np.random.Generator, size: int, cells: int) -> Image:
    """Smooth noise that repeats, about -1..1, with `cells` bumps across."""
    spectrum = np.fft.fft2(random.standard_normal((size, size)))
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.fftfreq(size)[None, :]) * size
    noise: Image = np.fft.ifft2(spectrum * np.exp(-((frequency / cells) ** 2))).real
    noise /= np.abs(noise).max()
    return noise


def _smooth(x: Image) -> Image:
    x = x.clip(0, 1)
    return x * x * (3 - 2 * x)
