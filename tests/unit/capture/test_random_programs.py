"""Programs made at random: what the compiled kernel computes against what Python computes from the same text.

Expressions are evaluated by a small interpreter of Python's own syntax tree that rounds every float32 operation exactly
(with fractions) and fuses by the documented rule; statements run as plain Python.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp

FLOATS = {"a": 1.7, "b": -0.3, "c": 1e-3, "d": 1234.5}
INTEGERS = {"i": 7, "j": -3, "k": 100, "m": 1}


def float_text(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice([*FLOATS, *FLOATS, "2.0", "0.1", "3.0"])
    left, right = float_text(rng, depth - 1), float_text(rng, rng.randrange(depth))
    shape = rng.randrange(9)
    if shape == 0:
        return f"min({left}, {right})"
    if shape == 1:
        return f"({left} if {left} < {right} else {right})"
    if shape == 2:
        return f"-({left})"
    if shape == 3:
        return f"abs({left})"
    return f"({left} {rng.choice('++--**/')} {right})"


def integer_text(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice([*INTEGERS, *INTEGERS, "5", "-2"])
    left, right = integer_text(rng, depth - 1), integer_text(rng, rng.randrange(depth))
    shape = rng.randrange(8)
    if shape == 0:
        return f"max({left}, {right})"
    if shape == 1:
        return f"(({left}) // ({right}) if ({right}) != 0 else {left})"
    if shape == 2:
        return f"(({left} & 255) {rng.choice(['<<', '>>'])} 3)"
    if shape == 3:
        return f"~({left})"
    return f"(({left} {rng.choice(['+', '-', '*', '&', '|', '^'])} {right}) & 65535)"


def rounded(value: Fraction) -> np.float32:
    """The nearest float32, ties to even, without float arithmetic."""
    guess = np.float32(float(value))
    if not np.isfinite(guess) or guess == 0:
        return guess
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(near, key=lambda f: (abs(Fraction(float(f)) - value), int(f.view(np.int32)) & 1))


class Interpreter:
    """float32 arithmetic with the documented fusing rule; literals are float32 next to floats."""

    def value(self, node: ast.expr) -> np.float32:
        match node:
            case ast.Constant():
                return np.float32(node.value)
            case ast.Name():
                return np.float32(FLOATS[node.id])
            case ast.UnaryOp(operand=operand):
                return -self.value(operand)
            case ast.IfExp(test=ast.Compare(left=left, comparators=[right])):
                return self.value(node.body if self.value(left) < self.value(right) else node.orelse)
            case ast.Call(func=ast.Name(id="abs"), args=[part]):
                return abs(self.value(part))
            case ast.Call(func=ast.Name(id="min"), args=[x, y]):
                left, right = self.value(x), self.value(y)
                return left if left < right else right
            case ast.BinOp():
                return self.operation(node)
        raise AssertionError(ast.dump(node))

    def operation(self, node: ast.BinOp) -> np.float32:
        match node.op, node.left, node.right:
            case ast.Add(), ast.BinOp(op=ast.Mult()) as product, addend:
                return self.fused(product, 1, addend, 1)
            case ast.Add(), addend, ast.BinOp(op=ast.Mult()) as product:
                return self.fused(product, 1, addend, 1)
            case ast.Sub(), ast.BinOp(op=ast.Mult()) as product, addend:
                return self.fused(product, 1, addend, -1)
            case ast.Sub(), addend, ast.BinOp(op=ast.Mult()) as product:
                return self.fused(product, -1, addend, 1)
        left, right = self.value(node.left), self.value(node.right)
        with np.errstate(all="ignore"):
            match node.op:
                case ast.Add():
                    return np.float32(left + right)
                case ast.Sub():
                    return np.float32(left - right)
                case ast.Mult():
                    return np.float32(left * right)
        return np.float32(left / right)

    def fused(self, product: ast.BinOp, sign: int, addend: ast.expr, addend_sign: int) -> np.float32:
        x, y, z = self.value(product.left), self.value(product.right), self.value(addend)
        if not np.isfinite([x, y, z]).all():
            with np.errstate(all="ignore"):
                return np.float32(np.float64(sign) * x * y + np.float64(addend_sign) * z)
        exact = sign * Fraction(float(x)) * Fraction(float(y)) + addend_sign * Fraction(float(z))
        return rounded(exact) if exact else np.float32(float(sign * x * y) + float(addend_sign * z))


def run_lines(module_from: Callable[[str], ModuleType], lines: list[str], kind: type, constants: dict[str, Any]) -> Any:
    parameters = ", ".join(f"{name}: {kind.__name__}" for name in constants)
    body = "\n".join(f"    out[{number}] = {line}" for number, line in enumerate(lines))
    head = f"@wp.kernel\ndef k(out: wp.array(dtype={kind.__name__}), {parameters}):"
    text = f"import whitecap.capture as wp\n\n{head}\n{body}\n"
    out = wp.zeros(len(lines), dtype=kind)
    wp.launch(module_from(text).k, 1, inputs=[out, *constants.values()])
    return out.numpy()


@pytest.mark.parametrize("seed", range(3))
def test_float_expressions_have_the_bits_that_the_rule_says(
    module_from: Callable[[str], ModuleType], seed: int
) -> None:
    rng = random.Random(seed)
    # A variable in front: literals alone would be no float32 expression.
    lines = [f"a + {float_text(rng, rng.randrange(1, 5))}" for _ in range(60)]
    results = run_lines(module_from, lines, float, FLOATS)
    for line, result in zip(lines, results):
        expected = Interpreter().value(ast.parse(line, mode="eval").body)
        assert result.tobytes() == expected.tobytes() or (np.isnan(result) and np.isnan(expected)), line


@pytest.mark.parametrize("seed", range(3))
def test_integer_expressions_agree_with_python(module_from: Callable[[str], ModuleType], seed: int) -> None:
    rng = random.Random(100 + seed)
    lines = [integer_text(rng, rng.randrange(1, 5)) for _ in range(60)]
    results = run_lines(module_from, lines, int, INTEGERS)
    expected = [eval(line, {}, dict(INTEGERS)) for line in lines]
    assert results.tolist() == [(value + 2**31) % 2**32 - 2**31 for value in expected]


class Statements:
    """Random bodies of assignments, branches and loops over four variables; every loop ends."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.loops = 0

    def block(self, depth: int, indent: str, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(depth, indent, in_loop)
        return lines

    def statement(self, depth: int, indent: str, in_loop: bool) -> list[str]:
        rng = self.rng
        choice = rng.randrange(10) if depth else 0
        if choice < 4:
            name = rng.choice("ijkm")
            if rng.random() < 0.3:
                return [f"{indent}{name} {rng.choice(['+=', '-=', '^='])} {integer_text(rng, 1)} & 7"]
            return [f"{indent}{name} = {integer_text(rng, 2)}"]
        test = f"{integer_text(rng, 1)} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {integer_text(rng, 1)}"
        inner = indent + "    "
        if choice < 7:
            lines = [f"{indent}if {test}:", *self.block(depth - 1, inner, in_loop)]
            if rng.random() < 0.5:
                lines += [f"{indent}else:", *self.block(depth - 1, inner, in_loop)]
            return lines
        if choice == 7 and in_loop:
            return [f"{indent}if {test}:", f"{inner}{rng.choice(['break', 'continue'])}"]
        self.loops += 1
        counter = f"n{self.loops}"
        if rng.random() < 0.5:
            bounds = rng.choice(["6", "2, 7", "9, 0, -2", "i & 7"])
            return [f"{indent}for {counter} in range({bounds}):", *self.block(depth - 1, inner, True)]
        head = [f"{indent}{counter} = 0", f"{indent}while {counter} < 5 and not ({test}):", f"{inner}{counter} += 1"]
        return [*head, *self.block(depth - 1, inner, True)]


@pytest.mark.parametrize("seed", range(4))
def test_statements_agree_with_python(module_from: Callable[[str], ModuleType], seed: int) -> None:
    programs = [Statements(random.Random(1000 * seed + number)).block(3, "    ", False) for number in range(12)]
    functions = []
    for number, body in enumerate(programs):
        signature = f"def f{number}(i: int, j: int, k: int, m: int):"
        functions.append("\n".join([signature, *body, "    return ((i * 31 + j) * 31 + k) * 31 + m", ""]))
    calls = "\n".join(f"    out[{number}] = f{number}(i, j, k, m)" for number in range(len(programs)))
    kernel = f"@wp.kernel\ndef k(out: wp.array(dtype=int), i: int, j: int, k: int, m: int):\n{calls}\n"
    text = "\n".join(
        ["import whitecap.capture as wp", "", *(f"@wp.func\n{function}" for function in functions), kernel]
    )
    module = module_from(text)
    out = wp.zeros(len(programs), dtype=int)
    wp.launch(module.k, 1, inputs=[out, *INTEGERS.values()])
    for number, result in enumerate(out.numpy().tolist()):
        expected = getattr(module, f"f{number}")(*INTEGERS.values())  # a @func is a Python function as well
        assert result == (expected + 2**31) % 2**32 - 2**31, functions[number]
