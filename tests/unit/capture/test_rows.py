"""Which kernels the CPU replayer may skew in time, how far they reach, and what each of their arrays is."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
from whitecap.capture.cpu_rows import FREE, OTHER, ROWS, row_table
from whitecap.capture.plan import plan_kernel

HEAD = """\
import whitecap.capture as wp

@wp.func
def near(a: wp.array2d(dtype=float), y: int, x: int):
    row = wp.clamp(y, 0, a.shape[0] - 1)
    return a[row, wp.clamp(x, 0, a.shape[1] - 1)]

@wp.func
def branchy(a: wp.array2d(dtype=float), y: int):
    if y > 3:
        return a[y, 0]
    return a[0, 0]

@wp.func
def half(x: float):
    if x > 0.0:
        return x * 0.5
    return x

@wp.struct
class Holder:
    data: wp.array2d(dtype=float)

@wp.kernel
def k(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), p: wp.array(dtype=float), n: int, h: Holder):
    y, x = wp.tid()
"""

# (body, reach, kinds of a, b, p)
SKEWED = [
    ("a[y, x] = b[y, x]", 0, (ROWS, ROWS, ROWS)),
    ("a[y, x] = near(b, y + 1, x) + near(b, y - 2, x)", 2, (ROWS, ROWS, ROWS)),
    ("a[y, x] = b[y + 3, x]", 3, (ROWS, ROWS, ROWS)),
    ("a[y, n] = a[y, x + 5]", 0, (ROWS, ROWS, ROWS)),
    ("a[y, x] = b[y, x] * p[0]", 0, (ROWS, ROWS, FREE)),
    ("a[y, x] = b[0, x]", 0, (ROWS, FREE, ROWS)),
    ("a[y, x] = b[n, x] + b[y, x]", 0, (ROWS, FREE, ROWS)),
    ("a[y, x] = b[wp.clamp(y + 1, 0, n), x]", 0, (ROWS, FREE, ROWS)),
    ("a[y, x] = b[wp.clamp(y + 1, 1, b.shape[0] - 1), x]", 0, (ROWS, FREE, ROWS)),
    ("a[y, x] = b[wp.clamp(y + 1, 0, a.shape[0] - 1), x]", 0, (ROWS, FREE, ROWS)),
    ("r = y + 1\n    a[y, x] = b[r - 3, x]", 2, (ROWS, ROWS, ROWS)),
    ("for i in range(n):\n        a[y, i] = b[y, i]", 0, (ROWS, ROWS, ROWS)),
    ("for i in range(n):\n        a[y, x] = b[i, x]", 0, (ROWS, FREE, ROWS)),
    ("if b[y, x] > 0.0:\n        a[y, x] = half(b[y, x])", 0, (ROWS, ROWS, ROWS)),
    ("r = y\n    r = r + n\n    a[y, x] = b[r, x]", 0, (ROWS, FREE, ROWS)),
]


@pytest.mark.parametrize(("body", "reach", "kinds"), SKEWED)
def test_reach_and_kinds(
    module_from: Callable[[str], ModuleType], body: str, reach: int, kinds: tuple[int, ...]
) -> None:
    head = HEAD.replace(", h: Holder", "")
    form = module_from(f"{head}    {body}\n").k.form
    assert row_table(form, plan_kernel(form)) == [1, reach, 4, *kinds, OTHER]


REFUSED = [
    "a[y + 1, x] = b[y, x]",
    "a[x, y] = b[y, x]",
    "a[0, x] = b[y, x]",
    "a[y, x] = a[n, x]",
    "a[y, x] = near(a, y + 1, x)",
    "a[y, x] = branchy(a, y)",
    "a[y, x] = branchy(b, y)",
    "wp.atomic_add(a, y, x, 1.0)",
    "n = y\n    a[n, x] = 1.0\n    n = n + 1",
    "r = n\n    if x > 3:\n        r = y\n    a[r, x] = 1.0",
]


@pytest.mark.parametrize("body", REFUSED)
def test_anything_that_is_not_certain_is_refused(module_from: Callable[[str], ModuleType], body: str) -> None:
    form = module_from(f"{HEAD.replace(', h: Holder', '')}    {body}\n").k.form
    assert row_table(form, plan_kernel(form)) is None


def test_arrays_in_structs_and_other_ranks_are_refused(module_from: Callable[[str], ModuleType]) -> None:
    form = module_from(f"{HEAD}    a[y, x] = 1.0\n").k.form
    assert row_table(form, plan_kernel(form)) is None
    head = HEAD.replace(", h: Holder", "").replace("y, x = wp.tid()", "y = wp.tid()")
    form = module_from(f"{head}    a[y, 0] = 1.0\n").k.form
    assert row_table(form, plan_kernel(form)) is None


def test_a_parameter_that_becomes_the_row_is_not_taken_for_it(module_from: Callable[[str], ModuleType]) -> None:
    head = HEAD.replace(", h: Holder", "")
    form = module_from(f"{head}    a[y, x] = b[n, x]\n    n = y\n").k.form
    assert row_table(form, plan_kernel(form)) == [1, 0, 4, ROWS, FREE, ROWS, OTHER]
