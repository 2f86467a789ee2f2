"""The Python text behind a kernel or function: its syntax tree, and what the names in it stand for."""

from __future__ import annotations

import ast
import builtins
import contextlib
import linecache
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NoReturn

from .errors import KernelError, Location

MISSING = object()


class FunctionSource:
    """One function's source. `outer` are the names visible where it was decorated."""

    def __init__(self, function: Callable[..., Any], outer: Mapping[str, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.outer = outer
        self.file = function.__code__.co_filename
        self.lines, definitions = _file(self.file)
        # A decorated function's code starts at its first decorator.
        tree = definitions.get((function.__code__.co_firstlineno, self.name))
        if tree is None:
            raise KernelError(
                "its source text can't be read", "define it in a Python file or a notebook cell", None, self.name
            )
        self.tree = tree
        self.closure = _closure(function)

    def where(self, node: ast.AST) -> Location:
        """The node's place; of one that spans lines, the part on its first line."""
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1].rstrip()
        start = getattr(node, "col_offset", 0)
        end = getattr(node, "end_col_offset", start + 1)
        raw = text.encode()
        if getattr(node, "end_lineno", line) != line:
            end = len(raw)
        # ast counts UTF-8 bytes, a person counts characters.
        return Location(self.file, line, len(raw[:start].decode()), len(raw[:end].decode()), text)

    def error(self, node: ast.AST, problem: str, remedy: str) -> NoReturn:
        raise KernelError(problem, remedy, self.where(node), self.name)

    def lookup(self, name: str) -> Any:
        """What a name outside the function stands for, or MISSING."""
        for names in (self.closure, self.function.__globals__, self.outer):
            if name in names:
                return names[name]
        return getattr(builtins, name, MISSING)

    def resolve(self, node: ast.expr) -> Any:
        """What a name or dotted name stands for, or MISSING."""
        if isinstance(node, ast.Name):
            return self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            try:
                return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
            except Exception:  # properties run code of their own
                return MISSING
        return MISSING

    def names(self) -> dict[str, Any]:
        return {**self.outer, **self.function.__globals__, **self.closure}


def _file(name: str) -> tuple[list[str], dict[tuple[int, str], ast.FunctionDef]]:
    """Lines of a Python file (or notebook cell), and its functions by first line and name."""
    linecache.checkcache(name)
    lines = linecache.getlines(name)
    return lines, _definitions("".join(lines))


@lru_cache(maxsize=64)
def _definitions(text: str) -> dict[tuple[int, str], ast.FunctionDef]:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # the file has changed since it was imported
        return {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {(min([node.lineno, *(part.lineno for part in node.decorator_list)]), node.name): node for node in functions}


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """Names of enclosing functions that have a value by now."""
    values: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # an empty cell
            values[name] = cell.cell_contents
    return values
