"""How the CPU walks a kernel's threads: what is computed once, where rows break, where borders are.

A plan changes no value that a thread computes; it moves work out of the inner loop, which compilers can't do by
themselves because a store might change what a load sees. It holds three things:

- setup: leading assignments that are the same for every thread (`p = params[0]`, `width = a.shape[1]`);
- guards: for which coordinates along the last dimension a clamped index can't leave its limits. There the body runs
  without the clamp, so that loads are consecutive and vectorise;
- width: for kernels that take a one-dimensional index apart (`x = i % width`, `y = i // width`) the length of those
  rows.

A kernel that reads what another thread of the same launch writes has no defined result, here as on a GPU.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from . import ir, scalars
from .access import argument_access
from .inline import inline_calls


@dataclass(frozen=True)
class Guard:
    """Inside: coordinate + offset >= low (or <= high)."""

    bound: ir.Expr
    offset: int
    is_low: bool


@dataclass(frozen=True)
class Plan:
    access: dict[str, str]  # of the parameters that hold arrays
    setup: tuple[ir.Assign, ...]
    body: tuple[ir.Stmt, ...]
    guards: tuple[Guard, ...]
    width: ir.Expr | None  # None: rows are those of the launch


def plan_kernel(kernel: ir.KernelForm) -> Plan:
    access = argument_access(kernel)
    setup, body = _split_setup(kernel, inline_calls(kernel.body), access)
    uniform = {parameter.name for parameter in kernel.parameters} - set(_assignments(body))
    uniform |= {assign.target.name for assign in setup if isinstance(assign.target, ir.Local)}
    width = _row_width(kernel, body, uniform) if kernel.rank == 1 else None
    if width is not None:
        names = _index_names(kernel, body)
        body = ir.rewrite(body, lambda node: _grid_index(node, names, width))
    peeler = _Peeler(uniform, _inner_names(kernel, body, width is not None), kernel.rank, width is not None)
    body = ir.rewrite(body, peeler.change)
    return Plan(access, setup, body, _tightest(peeler.guards), width)


def _tightest(guards: list[Guard]) -> tuple[Guard, ...]:
    """One guard a bound and side."""
    kept: dict[tuple[ir.Expr, bool], Guard] = {}
    for guard in guards:
        other = kept.setdefault((guard.bound, guard.is_low), guard)
        if (guard.offset < other.offset) == guard.is_low:
            kept[guard.bound, guard.is_low] = guard
    return tuple(kept.values())


def _assignments(body: tuple[ir.Stmt, ...]) -> Counter[str]:
    """How often each name is assigned, whole or in part."""
    names: Counter[str] = Counter()
    for node in ir.walk(body):
        if isinstance(node, ir.For):
            names[node.variable.name] += 1
        if isinstance(node, ir.Assign):
            target = node.target
            while isinstance(target, ir.FieldOf | ir.Component):
                target = target.value if isinstance(target, ir.FieldOf) else target.vector
            if isinstance(target, ir.Local):
                names[target.name] += 1
    return names


def assigned_once(kernel: ir.KernelForm, body: tuple[ir.Stmt, ...]) -> dict[str, ir.Assign]:
    """Top-level assignments to variables that nothing else assigns."""
    counts = _assignments(body)
    counts.update(parameter.name for parameter in kernel.parameters)
    return {
        statement.target.name: statement
        for statement in body
        if isinstance(statement, ir.Assign)
        and isinstance(statement.target, ir.Local)
        and counts[statement.target.name] == 1
    }


def _split_setup(
    kernel: ir.KernelForm, body: tuple[ir.Stmt, ...], access: dict[str, str]
) -> tuple[tuple[ir.Assign, ...], tuple[ir.Stmt, ...]]:
    """The leading assignments that are the same for every thread, and the rest."""
    parameters = {parameter.name for parameter in kernel.parameters}
    uniform = parameters - set(_assignments(body))
    once = assigned_once(kernel, body)
    setup: list[ir.Assign] = []
    rest: list[ir.Stmt] = []
    for position, statement in enumerate(body):
        if not isinstance(statement, ir.Assign) or not isinstance(statement.target, ir.Local):
            rest.extend(body[position:])
            break
        name = statement.target.name
        if name in once and _is_uniform(statement.value, uniform, access):
            setup.append(statement)
            uniform.add(name)
        else:
            rest.append(statement)
    return tuple(setup), tuple(rest)


def _is_uniform(value: ir.Expr, uniform: set[str], access: dict[str, str]) -> bool:
    for node in ir.walk(value):
        if isinstance(node, ir.ThreadIndex | ir.Atomic | ir.Call):
            return False
        if isinstance(node, ir.Local) and node.name not in uniform:
            return False
        if isinstance(node, ir.Load) and not (
            isinstance(node.array, ir.Local) and access.get(node.array.name) == "read"
        ):
            return False
    return True


def _inner_names(kernel: ir.KernelForm, body: tuple[ir.Stmt, ...], is_grid: bool) -> set[str]:
    """Variables that always hold the coordinate along the last dimension."""
    return {
        name
        for name, statement in assigned_once(kernel, body).items()
        if _is_inner(statement.value, kernel.rank, is_grid)
    }


def _is_inner(value: ir.Expr, rank: int, is_grid: bool) -> bool:
    if is_grid:
        return isinstance(value, ir.GridIndex) and value.dimension == 1
    return isinstance(value, ir.ThreadIndex) and value.dimension == rank - 1


# One-dimensional indices taken apart


def _index_names(kernel: ir.KernelForm, body: tuple[ir.Stmt, ...]) -> set[str]:
    """Variables that hold the one-dimensional thread index."""
    return {
        name for name, statement in assigned_once(kernel, body).items() if isinstance(statement.value, ir.ThreadIndex)
    }


def _is_index(node: ir.Expr, names: set[str]) -> bool:
    return isinstance(node, ir.ThreadIndex) or (isinstance(node, ir.Local) and node.name in names)


def _row_width(kernel: ir.KernelForm, body: tuple[ir.Stmt, ...], uniform: set[str]) -> ir.Expr | None:
    """What the thread index is divided by, when it is one value everywhere."""
    names = _index_names(kernel, body)
    widths = {
        node.right
        for node in ir.walk(body)
        if isinstance(node, ir.Binary) and node.op == "%" and node.type is scalars.int32 and _is_index(node.left, names)
    }
    width = widths.pop() if len(widths) == 1 else None
    return width if width is not None and _is_limit(width, uniform) else None


def _grid_index(node: ir.Expr, names: set[str], width: ir.Expr | None) -> ir.Expr:
    if isinstance(node, ir.Binary) and node.op in ("//", "%") and node.right == width and _is_index(node.left, names):
        return ir.GridIndex(scalars.int32, 0 if node.op == "//" else 1)
    return node


# Borders


def _is_limit(node: ir.Expr, uniform: set[str]) -> bool:
    """Integer arithmetic over things that are the same for every thread."""
    return all(
        isinstance(part, ir.Literal | ir.Extent | ir.FieldOf)
        or (isinstance(part, ir.Local) and part.name in uniform)
        or (isinstance(part, ir.Binary) and part.op in ("+", "-", "*", "//") and part.type is scalars.int32)
        for part in ir.walk(node)
    )


class _Peeler:
    """Marks clamped indices along the last dimension, and collects their guards."""

    def __init__(self, uniform: set[str], inner: set[str], rank: int, is_grid: bool) -> None:
        self.uniform, self.inner, self.rank, self.is_grid = uniform, inner, rank, is_grid
        self.guards: list[Guard] = []

    def change(self, node: ir.Expr) -> ir.Expr:
        if (
            not isinstance(node, ir.Intrinsic)
            or node.name not in ("clamp", "min", "max")
            or node.type is not scalars.int32
        ):
            return node
        value, *limits = node.arguments
        offset = self._offset(value)
        if offset is None or not all(_is_limit(limit, self.uniform) for limit in limits):
            return node
        if node.name != "min":
            self.guards.append(Guard(limits[0], offset, True))
        if node.name != "max":
            self.guards.append(Guard(limits[-1], offset, False))
        return ir.Interior(node.type, value, node)

    def _offset(self, value: ir.Expr) -> int | None:
        """c of `coordinate + c`, or None."""
        if (isinstance(value, ir.Local) and value.name in self.inner) or _is_inner(value, self.rank, self.is_grid):
            return 0
        if isinstance(value, ir.Binary) and value.op in ("+", "-"):
            left, right = value.left, value.right
            if isinstance(right, ir.Literal) and self._offset(left) == 0:
                return int(right.value) if value.op == "+" else -int(right.value)
            if isinstance(left, ir.Literal) and value.op == "+" and self._offset(right) == 0:
                return int(left.value)
        return None
