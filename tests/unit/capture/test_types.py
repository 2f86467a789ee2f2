"""Every number type with every operator and function that takes it: results and types, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap.capture.scalars import SCALARS, Scalar

INTEGERS = [scalar for scalar in SCALARS.values() if scalar.is_integer]
FLOATS = [scalar for scalar in SCALARS.values() if scalar.is_float]

COMMON = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "-a": lambda a, b: -a,
    "wp.min(-a, b)": lambda a, b: min(-a, b),
    "wp.max(a - b, b)": lambda a, b: max(a - b, b),
    "wp.clamp(a, b - b, b)": lambda a, b: min(max(a, b - b), b),
    "wp.abs(-a)": lambda a, b: abs(-a),
    "wp.where(a < b, a, -b)": lambda a, b: a if a < b else -b,
    "a if a >= b else b + b": lambda a, b: a if a >= b else b + b,
    "a ** 2": lambda a, b: a * a,
    "a ** 3": lambda a, b: a * a * a,
    "T(a)": lambda a, b: a,
    "T(int(a))": lambda a, b: type(a)(np.int32(a)),
    "T(wp.float64(a))": lambda a, b: a,
    "a + 2": lambda a, b: a + type(a)(2),
    "wp.max(1, a)": lambda a, b: max(type(a)(1), a),
}
INTEGER_ONLY = {
    "a // b": lambda a, b: a // b,
    "wp.floormod(a, b)": lambda a, b: a % b,
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "~a": lambda a, b: ~a,
    "wp.min(~a, b)": lambda a, b: min(~a, b),
    "a << 2": lambda a, b: a << type(a)(2),
    "a >> 1": lambda a, b: a >> type(a)(1),
    "wp.popc(a)": lambda a, b: type(a)(bin(int(a) & ((1 << 8 * a.itemsize) - 1)).count("1")),
}
FLOAT_ONLY = {
    "a / b": lambda a, b: a / b,
    "wp.sqrt(a)": lambda a, b: np.sqrt(a),
    "wp.floor(a) + 0.5": lambda a, b: np.floor(a) + type(a)(0.5),
    "a // b": lambda a, b: np.floor(a / b),
    "a % b": lambda a, b: np.fmod(a, b),
}


def module_text(cases: list[str], scalar: Scalar) -> str:
    lines = "\n".join(f"    out[{number}] = {case}" for number, case in enumerate(cases))
    kind = f"wp.{scalar.name}"
    return (
        f"import whitecap.capture as wp\n\nT = {kind}\n\n@wp.kernel\n"
        f"def k(out: wp.array(dtype={kind}), a: {kind}, b: {kind}):\n{lines}\n"
    )


@pytest.mark.parametrize("scalar", [*INTEGERS, *FLOATS], ids=repr)
def test_operators_and_functions_stay_in_their_type(module_from: Callable[[str], ModuleType], scalar: Scalar) -> None:
    cases: dict[str, Any] = COMMON | (FLOAT_ONLY if scalar.is_float else INTEGER_ONLY)
    module = module_from(module_text(list(cases), scalar))
    values = [(100, 7), (3, 5)] if scalar.kind == "u" else [(100, 7), (-3, 5), (5, -2)]
    for x, y in values:
        a, b = scalar(x), scalar(y)
        out = wp.zeros(len(cases), dtype=scalar)
        wp.launch(module.k, 1, inputs=[out, a, b])
        for (text, python), result in zip(cases.items(), out.numpy()):
            if "sqrt" in text and x < 0:
                continue
            with np.errstate(all="ignore"):
                expected = python(a, b)
            assert result == scalar(expected) and result.dtype == scalar.numpy_dtype(), (text, x, y)  # noqa: PT018


@pytest.mark.parametrize("scalar", list(SCALARS.values()), ids=repr)
def test_values_survive_memory_and_arguments(module_from: Callable[[str], ModuleType], scalar: Scalar) -> None:
    kind = f"wp.{scalar.name}"
    text = (
        f"import whitecap.capture as wp\n\n@wp.kernel\ndef k(x: wp.array(dtype={kind}), value: {kind}):\n"
        "    x[1] = x[0]\n    x[2] = value\n"
    )
    limits = np.iinfo(scalar.numpy_dtype()) if scalar.is_integer else None
    extreme = True if scalar is wp.bool else scalar(1.1) if limits is None else scalar(limits.max)
    x = wp.zeros(3, dtype=scalar)
    x.numpy()[0] = extreme
    wp.launch(module_from(text).k, 1, inputs=[x, extreme])
    assert x.numpy().tolist() == [extreme] * 3


def test_kernel_without_parameters_runs(module_from: Callable[[str], ModuleType]) -> None:
    wp.launch(module_from("import whitecap.capture as wp\n\n@wp.kernel\ndef k():\n    i = wp.tid()\n").k, 5)


def test_annotations_may_be_text_and_name_local_types(module_from: Callable[[str], ModuleType]) -> None:
    text = """\
from __future__ import annotations
import whitecap.capture as wp

def make(factor: float):
    @wp.struct
    class Local:
        scale: float
        kinds: wp.vec2i

    @wp.kernel
    def k(x: wp.array(dtype=float), s: Local):
        x[0] = s.scale * factor + float(s.kinds.y)

    return k, Local
"""
    kernel, local = module_from(text).make(3.0)
    x = wp.zeros(1)
    wp.launch(kernel, 1, inputs=[x, local(scale=2.0, kinds=wp.VECTORS["vec2i"](0, 4))])
    assert x.numpy()[0] == 10
