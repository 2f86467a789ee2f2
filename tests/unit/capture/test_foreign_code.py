"""Python that was never meant for kernels: the standard library's functions are understood or refused, nothing else."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
import whitecap.capture as wp
from whitecap.capture import cpu_compile
from whitecap.capture.cpp import function_text, struct_text, structs_of
from whitecap.capture.emit import preamble
from whitecap.capture.ir import Function
from whitecap.capture.parse import parse_function
from whitecap.capture.source import FunctionSource

MODULES = (
    "ast bisect calendar colorsys configparser contextlib copy ctypes datetime difflib dis enum fractions functools "
    "heapq inspect ipaddress numbers operator posixpath random shlex statistics string tarfile textwrap token trace"
)


def functions_of(module: ModuleType) -> Iterator[FunctionType]:
    for owner in [module, *(value for value in vars(module).values() if inspect.isclass(value))]:
        yield from (value for value in list(vars(owner).values()) if inspect.isfunction(value))


def parse_as(function: FunctionType, kind: type) -> Function:
    """Parses with every parameter annotated as `kind`, whatever the signature was."""
    source = FunctionSource(function, {})
    source.tree = copy.deepcopy(source.tree)
    arguments = source.tree.args
    extra = [part for part in (arguments.vararg, arguments.kwarg) if part]
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]
    for part in plain:
        part.annotation = ast.Constant("annotated")
    source.tree.args = ast.arguments(posonlyargs=[], args=plain, kwonlyargs=[], kw_defaults=[], defaults=[])
    stand_in: Any = FunctionType(function.__code__, function.__globals__, closure=function.__closure__)
    stand_in.__annotations__ = {part.arg: kind for part in plain}
    source.function = stand_in
    return parse_function(source)


@pytest.mark.parametrize("kind", [float, int])
def test_every_function_is_understood_or_refused_with_its_place(kind: type, tmp_path: Path) -> None:
    understood: list[Function] = []
    refusals: list[wp.KernelError] = []
    for name in MODULES.split():
        for function in functions_of(importlib.import_module(name)):
            try:
                understood.append(parse_as(function, kind))
            except wp.KernelError as error:
                refusals.append(error)
    assert len(refusals) > 500
    for refusal in refusals:
        assert refusal.remedy
        assert refusal.where is None or 0 <= refusal.where.column <= refusal.where.end_column, refusal
    assert len(understood) > 20
    compiles(understood, tmp_path)


def compiles(functions: list[Function], folder: Path) -> None:
    """What was understood is C++ that compilers accept."""
    compiler = cpu_compile.find_compiler()
    if compiler is None:
        return
    structs = structs_of([parameter.type for function in functions for parameter in function.parameters])
    texts = {function_text(function, with_lines=False) for function in functions}
    source = folder / "functions.cpp"
    source.write_text("\n".join([preamble(), *map(struct_text, structs), *sorted(texts)]))
    command = [compiler, "-std=c++17", "-fsyntax-only", "-w", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
