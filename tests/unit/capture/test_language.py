"""What kernels compute, against Python and NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp

from . import language_kernels as kernels

INTEGERS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5), (5, 1), (5, -1), (123456, 789), (-1, 7)]
FLOATS = [(2.5, 2.0), (-2.5, 2.0), (2.5, -2.0), (-3.75, -0.5), (0.0, 1.0), (1e-30, 3.0), (0.1, 0.3), (7.0, 7.0)]


def truncated_remainder(x: int, y: int) -> int:
    return int(math.fmod(x, y))


def test_integer_operators() -> None:
    a, b = (np.array(column, np.int32) for column in zip(*INTEGERS))
    out = wp.zeros((len(a), 20), dtype=int)
    wp.launch(kernels.integers, len(a), inputs=[wp.array(a), wp.array(b), out])
    for (x, y), row in zip(INTEGERS, out.numpy().tolist()):
        expected = [
            x + y, x - y, x * y, x // y, truncated_remainder(x, y), x % y, x & y, x | y, x ^ y, ~x, -x, abs(x),
            min(x, y), max(x, y), min(max(x, -3), 3), -1 if x < 0 else 1, x << 3, x >> 1, x**2, x**3,
        ]  # fmt: skip
        assert row == [(value + 2**31) % 2**32 - 2**31 for value in expected], (x, y)


def test_integer_division_by_zero_is_zero_and_never_traps() -> None:
    a, b = wp.array([5, -5, -(2**31)]), wp.array([0, 0, -1])
    out = wp.zeros((3, 20), dtype=int)
    wp.launch(kernels.integers, 3, inputs=[a, b, out])
    assert out.numpy()[:, 3:6].tolist() == [[0, 0, 0], [0, 0, 0], [-(2**31), 0, 0]]


def test_float_operators_are_exact() -> None:
    a, b = (np.array(column, np.float32) for column in zip(*FLOATS))
    out = wp.zeros((len(a), 23), dtype=float)
    wp.launch(kernels.floats, len(a), inputs=[wp.array(a), wp.array(b), out])
    half_away = np.trunc(a + np.copysign(np.float32(0.5), a))
    lerp = a * np.float32(0.75) + b * np.float32(0.25)
    expected = [
        a + b, a - b, a * b, a / b, np.floor(a / b), np.fmod(a, b), np.mod(a, b), -a, abs(a), np.sqrt(abs(a)),
        np.floor(a), np.ceil(a), np.trunc(a), half_away, np.rint(a), np.where(a < 0, np.float32(-1), np.float32(1)),
        a * a, (a * a) * (a * a),
        np.where(a < b, a, b), np.where(a > b, a, b), lerp, a - np.trunc(a), np.zeros_like(a),
    ]  # fmt: skip
    for column, values in enumerate(expected):
        np.testing.assert_array_equal(out.numpy()[:, column], values, err_msg=f"column {column}")


def test_transcendental_functions_agree_with_numpy() -> None:
    x = np.linspace(0.1, 3.9, 17)
    out = wp.zeros((len(x), 14), dtype=wp.float64)
    wp.launch(kernels.transcendental, len(x), inputs=[wp.array(x), out])
    t = x / 4
    expected = [
        np.sin(x), np.cos(x), np.tan(x), np.exp(x), np.log(x), x**1.5, np.arctan2(x, 2), np.tanh(x), np.cbrt(x),
        np.log2(x), np.arcsin(x * 0.1), x**0.3, np.degrees(x), t * t * (3 - 2 * t),
    ]  # fmt: skip
    np.testing.assert_allclose(out.numpy(), np.stack(expected, 1), rtol=4e-15)


def test_casts_and_constants() -> None:
    out = wp.zeros(12, dtype=wp.float64)
    wp.launch(kernels.casts, 1, inputs=[out])
    expected = [2, -2, 44, 3.5, 3e9, 2, 7e12, -56, 0.1, float(np.float32(0.1)), 1, 2**32 - 1]
    assert out.numpy().tolist() == expected


def test_loops_branches_and_early_return() -> None:
    out = wp.zeros(8, dtype=int)
    wp.launch(kernels.control, 8, inputs=[out, 9])
    assert out.numpy().tolist() == [1 + 3 + 5 + 7, 111, 10070401, 1, 5012, 9, 1 + 4, 10]


def test_vectors_and_matrices() -> None:
    m = wp.array(np.array([[0, 0, 0], [4, 5, 6], [1, 1, 1]], np.float32), dtype=wp.vec3)
    out = wp.zeros(15, dtype=float)
    wp.launch(kernels.vectors, 1, inputs=[out, m])
    cross = np.cross([1, 2, 3], [4, 5, 6]).tolist()
    assert out.numpy().tolist() == [3, 5.5, 32, 5, *cross, 10 + 11 + cross[2] + 1, 1, 1, 37, -2, 14, 7, 7]
    assert m.numpy().tolist() == [[1, 2, 3], [4, 5, 6], [9, 8, 1]]


def test_structs_and_functions() -> None:
    data = wp.array([0.0, 1.0, 2.0])
    value = kernels.Outer(count=4, data=data)
    value.inner.weight = 1.5
    value.inner.place = wp.vec3(0.0, 0.0, 7.0)
    elements = wp.zeros(3, dtype=kernels.Inner)
    elements.numpy()["weight"] = [1, 2, 3]
    out = wp.zeros(5, dtype=float)
    wp.launch(kernels.structs, 1, inputs=[value, elements, out])
    assert out.numpy().tolist() == [10, 52, 6, 0, 2.5]
    assert data.numpy().tolist() == [3, 101, 2]
    assert elements.numpy()["weight"].tolist() == [1, 2, 50]
    assert elements.numpy()["place"][0].tolist() == [0, 6, 0]


def test_four_dimensions() -> None:
    a = wp.zeros((2, 3, 4, 5), dtype=int)
    out = wp.zeros(1, dtype=int)
    wp.launch(kernels.shapes, (2, 3, 4, 5), inputs=[a, out])
    i, j, k, m = np.indices((2, 3, 4, 5))
    assert np.array_equal(a.numpy(), ((i * 10 + j) * 10 + k) * 10 + m)
    assert out.numpy()[0] == 2345


def test_atomics_count_every_thread_once() -> None:
    n = 100_000
    a, counts, old = wp.zeros(2, dtype=float), wp.zeros(4, dtype=int), wp.zeros(n, dtype=int)
    wp.launch(kernels.sums, n, inputs=[a, counts, old])
    assert a.numpy().tolist() == [n, -2 * n]
    assert counts.numpy().tolist() == [n, n - 1, 1 - n, -2 * n]
    assert np.array_equal(np.sort(old.numpy()), np.arange(n))


def test_names_that_cpp_keeps_for_itself_are_free_to_use() -> None:
    out = wp.zeros(1, dtype=float)
    wp.launch(kernels.reserved, 1, inputs=[1.5, 2, out, 4.0, 8])
    assert out.numpy()[0] == 15.5


@pytest.mark.parametrize(
    ("dim", "shape"),
    [(6, (6, 1, 1, 1)), ((2, 3), (2, 3, 1, 1)), ((2, 3, 2), (2, 3, 2, 1)), ((1, 1, 1, 7), (1, 1, 1, 7))],
)
def test_missing_extents_of_a_launch_are_one(dim: Any, shape: tuple[int, ...]) -> None:
    a, out = wp.full(shape, -1, dtype=int), wp.zeros(1, dtype=int)
    wp.launch(kernels.shapes, dim, inputs=[a, out])
    assert (a.numpy() >= 0).all()


def test_further_extents_repeat_every_coordinate() -> None:
    n, repeats = 5, 3
    counts = wp.zeros(4, dtype=int)
    old = wp.zeros(n, dtype=int)
    wp.launch(kernels.sums, (n, repeats), inputs=[wp.zeros(2), counts, old])
    assert counts.numpy()[0] == n * repeats
    assert counts.numpy()[1] == n - 1


def test_launch_over_nothing_does_nothing() -> None:
    out = wp.zeros(8, dtype=int)
    wp.launch(kernels.control, 0, inputs=[out, 9])
    wp.launch(kernels.control, (0, 4), inputs=[out, 9])
    assert not out.numpy().any()
