"""Carrying a field from one grid size to another."""

from __future__ import annotations

import numpy as np


def resample(field: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The field on another grid over the same basin: bilinear for floats, nearest cell for integers.

    field: (height, width), any dtype. shape: (height, width) wanted. Returns a contiguous array of the same dtype.
    Borders are held, so a constant stays the same constant and nothing overshoots.
    """
    if field.shape == tuple(shape):
        return np.ascontiguousarray(field)
    rows = _positions(field.shape[0], shape[0])
    columns = _positions(field.shape[1], shape[1])
    if not np.issubdtype(field.dtype, np.floating):
        nearest = field[np.rint(rows).astype(int)[:, None], np.rint(columns).astype(int)[None, :]]
        return np.ascontiguousarray(nearest)
    across = _interpolate(field, columns, axis=1)
    return np.ascontiguousarray(_interpolate(across, rows, axis=0), dtype=field.dtype)


def _positions(old: int, new: int) -> np.ndarray:
    """Where the centres of the new cells lie, in old cells, held to the centres of the outermost ones."""
    return np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)


def _interpolate(field: np.ndarray, positions: np.ndarray, axis: int) -> np.ndarray:
    low = np.floor(positions).astype(int)
    high = np.minimum(low + 1, field.shape[axis] - 1)
    weight = (positions - low).astype(field.dtype)
    weight = weight[None, :] if axis == 1 else weight[:, None]
    first, second = np.take(field, low, axis), np.take(field, high, axis)
    between: np.ndarray = first + weight * (second - first)
    return between
