"""How far from its own row a thread of a two-dimensional kernel reaches: lets the CPU replayer skew launches in time.

A kernel qualifies when every array that it writes is read and written in the thread's own row only. Launches of such
kernels may then follow each other row by row instead of one after the other, so that the rows stay in the cache: the
next launch may do a row once this one is `reach` rows further.

The table `<base>_cpu_rows` tells the replayer: version, reach, number of parameters, and for each of them

    OTHER  no array;
    ROWS   an array that is read within `reach` of the own row, or read and written in the own row only;
    FREE   an array that is only read, anywhere: no launch of a chain may write it.
"""

from __future__ import annotations

from . import ir
from .dtypes import ArrayType
from .plan import Plan, assigned_once

VERSION = 1
OTHER, ROWS, FREE = 0, 1, 2


def row_table(form: ir.KernelForm, plan: Plan) -> list[int] | None:
    """The table, or None when the kernel doesn't qualify."""
    if form.rank != 2 or any(_is_opaque(node) for node in ir.walk((*plan.setup, *plan.body))):
        return None
    if any(getattr(p.type, "holds_arrays", False) and not isinstance(p.type, ArrayType) for p in form.parameters):
        return None
    rows = _Rows(form, plan)
    kinds, reach = [], 0
    for parameter in form.parameters:
        if not isinstance(parameter.type, ArrayType):
            kinds.append(OTHER)
            continue
        distance = rows.distance(parameter.name)
        if distance != 0 and plan.access[parameter.name] != "read":
            return None
        kinds.append(FREE if distance is None else ROWS)
        reach = max(reach, distance or 0)
    return [VERSION, reach, len(kinds), *kinds]


def _is_opaque(node: ir.Expr | ir.Stmt) -> bool:
    """Atomics, and calls that get at arrays out of sight."""
    if isinstance(node, ir.Call):
        return any(isinstance(argument.type, ArrayType) for argument in node.arguments)
    return isinstance(node, ir.Atomic)


class _Rows:
    """Distances between the thread's row and the rows that it touches."""

    def __init__(self, form: ir.KernelForm, plan: Plan) -> None:
        self.meaning = {name: statement.value for name, statement in assigned_once(form, plan.body).items()}
        statements = (*plan.setup, *plan.body)
        assigns = [node for node in ir.walk(statements) if isinstance(node, ir.Assign)]
        self.written = [place for assign in assigns if (place := ir.array_of(assign.target))]
        targets = {id(place) for place in self.written}
        loads = [node for node in ir.walk(statements) if isinstance(node, ir.Load)]
        self.read = [load for load in loads if id(load) not in targets]

    def distance(self, name: str) -> int | None:
        """The largest, over all accesses to an array; None when one of them may be anywhere."""
        if any(self._offset(place.indices[0], name) != 0 for place in self.written if _is_named(place.array, name)):
            return None
        offsets = [self._offset(place.indices[0], name) for place in self.read if _is_named(place.array, name)]
        return None if None in offsets else max((abs(offset) for offset in offsets if offset is not None), default=0)

    def _offset(self, index: ir.Expr, array: str) -> int | None:
        """c for row + c, held to the array or not; None for anything else."""
        if isinstance(index, ir.Local):
            return self._offset(self.meaning[index.name], array) if index.name in self.meaning else None
        if isinstance(index, ir.Intrinsic) and index.name == "clamp":
            value, low, high = index.arguments
            return self._offset(value, array) if _is_zero(low) and _is_last_row(high, array) else None
        if isinstance(index, ir.ThreadIndex) and index.dimension == 0:
            return 0
        if isinstance(index, ir.Binary) and index.op in ("+", "-") and isinstance(index.right, ir.Literal):
            offset = self._offset(index.left, array)
            step = int(index.right.value)
            return None if offset is None else offset + step if index.op == "+" else offset - step
        return None


def _is_named(array: ir.Expr, name: str) -> bool:
    return isinstance(array, ir.Local) and array.name == name


def _is_zero(node: ir.Expr) -> bool:
    return isinstance(node, ir.Literal) and node.value == 0


def _is_last_row(node: ir.Expr, array: str) -> bool:
    """`array.shape[0] - 1`"""
    if not (isinstance(node, ir.Binary) and node.op == "-" and isinstance(node.right, ir.Literal)):
        return False
    extent = node.left
    return (
        node.right.value == 1
        and isinstance(extent, ir.Extent)
        and extent.dimension == 0
        and _is_named(extent.array, array)
    )
