"""The Python text behind a kernel or function: its syntax tree, and what the names in it stand for."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Mapping
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
        try:
            self.lines, self.first_line = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise KernelError(
                "its source text can't be read", "define it in a Python file or a notebook cell", None, self.name
            ) from None
        text = "".join(self.lines)
        dedented = textwrap.dedent(text)
        self.indent = len(text) - len(text.lstrip()) - (len(dedented) - len(dedented.lstrip()))
        tree = ast.parse(dedented).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise KernelError("it isn't a `def`", "write `def name(argument: type, ...):`", None, self.name)
        self.tree = tree
        self.closure = _closure(function)

    def where(self, node: ast.AST) -> Location:
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        end = getattr(node, "end_col_offset", column + 1)
        text = self.lines[line - 1].rstrip() if line <= len(self.lines) else ""
        if getattr(node, "end_lineno", line) != line:
            end = len(text.encode()) - self.indent
        # ast counts UTF-8 bytes of the dedented line; a person counts characters of the real one.
        raw = text.encode()
        start_chars = len(raw[: column + self.indent].decode(errors="ignore"))
        end_chars = len(raw[: end + self.indent].decode(errors="ignore"))
        return Location(self.file, self.first_line + line - 1, start_chars, end_chars, text)

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


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """Names of enclosing functions that have a value by now."""
    values: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # an empty cell
            values[name] = cell.cell_contents
    return values
