"""Which multiply-adds are fused, and that the fused bits are those of exact arithmetic rounded once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap.capture import ir
from whitecap.capture.cpp import ExpressionWriter

# (expression, what is emitted)
RULE = [
    ("a * b + c", "wc::fma(a, b, c)"),
    ("c + a * b", "wc::fma(a, b, c)"),
    ("a * b + c * d", "wc::fma(a, b, c * d)"),
    ("a * b - c", "wc::fma(a, b, -c)"),
    ("c - a * b", "wc::fma(-a, b, c)"),
    ("a * b - c * d", "wc::fma(a, b, -(c * d))"),
    ("c - 4.0 * a", "wc::fma(-4.0f, a, c)"),
    ("a + b + c * d", "wc::fma(c, d, a + b)"),
    ("(a * b + c) * d + a", "wc::fma(wc::fma(a, b, c), d, a)"),
    ("a + b", "a + b"),
    ("-(a * b) + c", "-(a * b) + c"),
    ("(a + b) * c", "(a + b) * c"),
    ("a / b + c", "a / b + c"),
    ("i * j + i", "i * j + i"),
    ("v * a + v", "v * a + v"),
]


def kernel_of(module_from: Callable[[str], ModuleType], expression: str) -> ir.Expr:
    module = module_from(
        "import whitecap.capture as wp\n\n@wp.kernel\n"
        "def k(a: float, b: float, c: float, d: float, i: int, j: int, v: wp.vec2):\n"
        f"    result = {expression}\n"
    )
    statement = module.k.form.body[0]
    assert isinstance(statement, ir.Assign)
    return statement.value


@pytest.mark.parametrize(("expression", "emitted"), RULE)
def test_rule(module_from: Callable[[str], ModuleType], expression: str, emitted: str) -> None:
    assert ExpressionWriter().text(kernel_of(module_from, expression)) == emitted


def test_a_product_in_a_variable_stays_rounded(module_from: Callable[[str], ModuleType]) -> None:
    module = module_from(
        "import whitecap.capture as wp\n\n@wp.kernel\n"
        "def k(a: wp.array(dtype=float)):\n    p = a[0] * a[1]\n    a[2] = p + a[3]\n"
    )
    assert not any(isinstance(node, ir.Fma) for node in ir.walk(module.k.form.body))


def test_fusing_can_be_switched_off(module_from: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "fuse_fp", False)
    assert ExpressionWriter().text(kernel_of(module_from, "a * b + c")) == "a * b + c"


@wp.kernel
def multiply_add(
    a: wp.array(dtype=float), b: wp.array(dtype=float), c: wp.array(dtype=float), out: wp.array2d(dtype=float)
):
    i = wp.tid()
    out[i, 0] = a[i] * b[i] + c[i]
    out[i, 1] = a[i] * b[i] - c[i]
    out[i, 2] = c[i] - a[i] * b[i]
    product = a[i] * b[i]
    out[i, 3] = product + c[i]


def rounded(value: Fraction) -> np.float32:
    """The float32 nearest to an exact value (ties to even), computed without any float arithmetic."""
    guess = np.float32(float(value))
    candidates = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(candidates, key=lambda f: (abs(Fraction(float(f)) - value), int(f.view(np.int32)) & 1))


def test_fused_results_are_exact_results_rounded_once() -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(500).astype(np.float32) for _ in range(2))
    c = (-a * b * (1 + rng.standard_normal(500) * 1e-7)).astype(np.float32)  # cancels, so that every bit counts
    out = wp.zeros((500, 4))
    wp.launch(multiply_add, 500, inputs=[wp.array(a), wp.array(b), wp.array(c), out])
    differs = 0
    for x, y, z, row in zip(a, b, c, out.numpy()):
        exact = Fraction(float(x)) * Fraction(float(y))
        addend = Fraction(float(z))
        assert row[0] == rounded(exact + addend)
        assert row[1] == rounded(exact - addend)
        assert row[2] == rounded(addend - exact)
        assert row[3] == np.float32(x * y) + z
        differs += row[0] != row[3]
    assert differs > 100  # the data tells fused and unfused apart
