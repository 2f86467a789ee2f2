"""What each argument's memory is used for."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

HEAD = """\
import whitecap.capture as wp

@wp.struct
class S:
    n: int
    data: wp.array(dtype=float)

@wp.func
def get(x: wp.array(dtype=float), i: int):
    return x[i]

@wp.func
def put(x: wp.array(dtype=float), i: int, v: float):
    x[i] = v

@wp.func
def through(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    put(x, 0, get(y, 0))

@wp.kernel
def k(a: wp.array(dtype=float), b: wp.array(dtype=float), s: S, v: wp.array(dtype=wp.vec2), n: int):
"""

CASES = [
    ("a[0] = b[0]", {"a": "write", "b": "read"}),
    ("a[0] = a[0] + b[0]", {"a": "read_write", "b": "read"}),
    ("a[0] += 1.0", {"a": "read_write"}),
    ("old = wp.atomic_max(a, 0, b[1])", {"a": "read_write", "b": "read"}),
    ("a[int(b[0])] = 1.0", {"a": "write", "b": "read"}),
    ("put(a, 0, get(b, 1))", {"a": "write", "b": "read"}),
    ("through(b, a)", {"a": "read", "b": "write"}),
    ("through(a, a)", {"a": "read_write"}),
    ("s.data[0] = a[0]", {"s": "write", "a": "read"}),
    ("put(s.data, 0, get(s.data, 1))", {"s": "read_write"}),
    ("v[0].x = 1.0", {"v": "write"}),
    ("v[0][int(a[0])] = v[1].y", {"v": "read_write", "a": "read"}),
    ("if a[0] > 0.0:\n        b[0] = 1.0", {"a": "read", "b": "write"}),
    ("for i in range(int(a[0])):\n        b[i] = 1.0", {"a": "read", "b": "write"}),
    ("m = a.shape[0]", {"a": "read", "b": "read", "s": "read", "v": "read"}),
]


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_access(module_from: Callable[[str], ModuleType], body: str, expected: dict[str, str]) -> None:
    access = module_from(f"{HEAD}    {body}\n").k.access
    assert "n" not in access
    assert access == {"a": "read", "b": "read", "s": "read", "v": "read"} | expected
