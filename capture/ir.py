"""The typed intermediate form of kernels and functions.

Plain frozen data: `repr` is canonical and holds no line numbers, so digests of it name what a kernel does, not where it
stands. Expressions have no side effects, except calls to functions that write and to atomics; those stand in the order
in which Python evaluates them. Limits: one return value a function, no recursion, no references to array elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

from .dtypes import ElementType, Type
from .errors import Location

Where: TypeAlias = Location | None


@dataclass(frozen=True)
class Expr:
    type: Type
    where: Where = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Literal(Expr):
    value: bool | int | float
    weak: bool = field(default=False, compare=False, repr=False)  # written without a type: adapts to what it meets


@dataclass(frozen=True)
class Local(Expr):
    """A parameter or a variable."""

    name: str


@dataclass(frozen=True)
class ThreadIndex(Expr):
    """One coordinate of the thread; the last dimension is the fastest."""

    dimension: int
    rank: int


@dataclass(frozen=True)
class Unary(Expr):
    op: str  # "-", "~", "not"
    operand: Expr


@dataclass(frozen=True)
class Binary(Expr):
    op: str  # + - * / // % ** & | ^ << >>
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Fma(Expr):
    """left * right + addend, rounded once; `subtract` negates the addend."""

    left: Expr
    right: Expr
    addend: Expr
    subtract: bool = False


@dataclass(frozen=True)
class Compare(Expr):
    op: str  # == != < <= > >=
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Logic(Expr):
    op: str  # "and", "or": evaluated from the left, as far as needed
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Select(Expr):
    """`if_true if condition else if_false`: one side is evaluated."""

    condition: Expr
    if_true: Expr
    if_false: Expr


@dataclass(frozen=True)
class Cast(Expr):
    operand: Expr


@dataclass(frozen=True)
class Load(Expr):
    """array[i, j, ...]"""

    array: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class Component(Expr):
    """vector[i] or matrix[i, j]"""

    vector: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class FieldOf(Expr):
    value: Expr
    name: str


@dataclass(frozen=True)
class Extent(Expr):
    """array.shape[dimension]"""

    array: Expr
    dimension: int


@dataclass(frozen=True)
class Construct(Expr):
    """A vector, matrix or struct from components; none: zeros."""

    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Intrinsic(Expr):
    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Atomic(Expr):
    """The old value of array[indices], after combining it with `value`."""

    op: str  # "add", "sub", "min", "max"
    array: Expr
    indices: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True)
class Call(Expr):
    function: Function
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Interior(Expr):
    """Made by the planner: `inside` equals `otherwise` for threads away from the border."""

    inside: Expr
    otherwise: Expr


@dataclass(frozen=True)
class GridIndex(Expr):
    """Made by the planner: row (0) or column (1) of a one-dimensional thread index cut into rows."""

    dimension: int


@dataclass(frozen=True)
class Stmt:
    where: Where = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Assign(Stmt):
    """target: Local, Load, Component or FieldOf."""

    target: Expr
    value: Expr


@dataclass(frozen=True)
class If(Stmt):
    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class For(Stmt):
    """`for variable in range(start, stop, step)`; step is a constant."""

    variable: Local
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While(Stmt):
    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Break(Stmt):
    pass


@dataclass(frozen=True)
class Continue(Stmt):
    pass


@dataclass(frozen=True)
class Return(Stmt):
    value: Expr | None = None


@dataclass(frozen=True)
class Evaluate(Stmt):
    """An expression for its side effects."""

    value: Expr


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[Parameter, ...]
    result: ElementType | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class KernelForm:
    """A parsed kernel. rank: how many coordinates it uses, 1 to 4."""

    name: str
    parameters: tuple[Parameter, ...]
    rank: int
    body: tuple[Stmt, ...]


_part_names: dict[type, tuple[str, ...]] = {}


def _parts(node: Expr | Stmt) -> tuple[str, ...]:
    """Names of the fields of a node that may hold nodes."""
    kind = type(node)
    if kind not in _part_names:
        _part_names[kind] = tuple(
            item.name for item in fields(node) if item.name not in ("type", "where", "op", "name")
        )
    return _part_names[kind]


def children(node: Expr | Stmt) -> Iterator[Expr | Stmt]:
    """The expressions and statements right below a node, in the order in which they are written."""
    for name in _parts(node):
        value = getattr(node, name)
        if isinstance(value, Expr | Stmt):
            yield value
        elif isinstance(value, tuple):
            yield from (entry for entry in value if isinstance(entry, Expr | Stmt))


def walk(nodes: Expr | Stmt | tuple[Expr | Stmt, ...]) -> Iterator[Expr | Stmt]:
    """A node and everything below it, outer ones first, in written order; bodies of called functions not included."""
    waiting = list(reversed(nodes)) if isinstance(nodes, tuple) else [nodes]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(children(node))))


def rewrite(node: Any, change: Callable[[Expr], Expr]) -> Any:
    """The tree with `change` applied to every expression, children first. Assignment targets keep their outer node."""
    if isinstance(node, tuple):
        changed_entries = tuple(rewrite(entry, change) for entry in node)
        return node if all(a is b for a, b in zip(node, changed_entries)) else changed_entries
    if not isinstance(node, Expr | Stmt):
        return node
    updates: dict[str, Any] = {}
    for name in _parts(node):
        value = getattr(node, name)
        if isinstance(value, Expr | Stmt | tuple):
            changed = rewrite(value, change)
            if changed is not value:
                updates[name] = changed
    if updates:
        node = replace(node, **updates)
    return change(node) if isinstance(node, Expr) else node


def functions_of(body: tuple[Stmt, ...]) -> list[Function]:
    """Every function that the body reaches, called ones before their callers."""
    found: list[Function] = []

    def visit(part: tuple[Stmt, ...]) -> None:
        for node in walk(part):
            if isinstance(node, Call) and node.function not in found:
                visit(node.function.body)
                found.append(node.function)

    visit(body)
    return found


def array_of(target: Expr) -> Load | None:
    """The array access at the bottom of `a[i].x[0]`, or None."""
    while isinstance(target, Component | FieldOf):
        target = target.vector if isinstance(target, Component) else target.value
    return target if isinstance(target, Load) else None
