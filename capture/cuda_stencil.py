"""Several steps of a stencil in one CUDA launch: which kernels allow it, and the entries that do it.

A kernel of rank 2 qualifies when it rewrites one float32 array at its own cell only, and reads another one there and at
neighbours whose indices are clamped to the grid (`clamp(i + 1, 0, a.shape[0] - 1)`). Where such launches follow each
other and the two arrays change roles, the replayer runs several of them as one launch that keeps both fields in
registers (cuda_stencil.hpp). Every value is computed by the same expressions, so the bits are those of single launches.

Limits: neighbours at distance 1, corners included; besides the two fields a thread reads only what is the same for all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import ir, scalars
from .cpp import StatementWriter
from .cpp_names import identifier
from .dtypes import ArrayType, cpp_name
from .plan import Plan

INFO_VERSION = 2
STENCIL_CALL = "wc::run_stencil"  # what texts with entries contain
OWN, NEAR = "cell__own", "cell__near"


@dataclass(frozen=True)
class Shape:
    """A block: every lane owns columns x rows cells, `warps` bands of rows stand on each other.

    alone, cost: 10 ns that a pass of eight steps takes with one tile a multiprocessor, and for each tile where there
    are many; measured on an H200 with the wave's frame from 64^2 to 3072^2, and used to choose between the shapes.
    staged: a block does tile after tile, the next one on its way to shared memory; else one tile.
    """

    columns: int
    rows: int
    warps: int
    alone: int
    cost: int
    staged: bool = False


SHAPES = (
    Shape(1, 2, 12, 300, 105),
    Shape(1, 2, 24, 395, 277),
    Shape(2, 2, 24, 485, 385),
    Shape(2, 5, 12, 575, 329),
    Shape(4, 6, 12, 935, 756, staged=True),
    Shape(4, 8, 12, 1250, 977, staged=True),
    Shape(4, 10, 12, 1440, 1210, staged=True),
)


@dataclass(frozen=True)
class Stencil:
    """near, own: parameters read around the cell, and rewritten at it. body: the kernel with cells as variables."""

    near: str
    own: str
    body: tuple[ir.Stmt, ...]
    offsets: tuple[tuple[int, int], ...]


def find_stencil(form: ir.KernelForm, plan: Plan) -> Stencil | None:
    """The kernel as a stencil, or None."""
    fields = [p.name for p in form.parameters if isinstance(p.type, ArrayType) and _is_field(p.type)]
    written = {array.name for array in _written_arrays(plan.body)}
    if form.rank != 2 or len(fields) < 2 or len(written) != 1 or not written <= set(fields):
        return None
    (own,) = written
    if _is_unusual(form, plan.body):
        return None
    for near in fields:
        if near != own and (stencil := _Cells(plan.body, near, own).stencil()):
            return stencil
    return None


def stencil_entries(base: str, form: ir.KernelForm, plan: Plan, with_lines: bool) -> str:
    """CUDA text of the entries of one kernel; "" when it is no stencil."""
    stencil = find_stencil(form, plan)
    if stencil is None:
        return ""
    names = [parameter.name for parameter in form.parameters]
    given = {*names, OWN, *map(_cell, stencil.offsets)}
    given |= {assign.target.name for assign in plan.setup if isinstance(assign.target, ir.Local)}
    lines = [f"        const float {_cell((y, x))} = {NEAR}.at[{y + 1}][{x + 1}];" for y, x in stencil.offsets]
    body = StatementWriter(stencil.body, given, ("thread_c0", "thread_c1"), with_lines).lines
    lines += [line if line.startswith("#line") else f"    {line}" for line in body]
    diagonal = any(y and x for y, x in stencil.offsets)
    parameters = ", ".join(f"{cpp_name(p.type)} arg_{identifier(p.name)}" for p in form.parameters)
    values = ", ".join(f"arg_{identifier(name)}" for name in names)
    text = (
        f"\nstruct {base}_stencil : {base} {{\n    static constexpr bool diagonal = {str(diagonal).lower()};\n\n"
        f"    WC_INLINE void step(int thread_c0, int thread_c1, const wc::near_t& {NEAR}, float& {OWN}) const {{\n"
        + "\n".join(lines)
        + "\n    }\n};\n"
    )
    fields = ", ".join(f"arg_{identifier(name)}" for name in (stencil.near, stencil.own))
    for index, shape in enumerate(SHAPES):
        text += (
            f'\nextern "C" __global__ void __launch_bounds__({32 * shape.warps}) {base}_cuda_stencil{index}('
            f"wc::launch_bounds<2> bounds, {parameters}, float* near_out, float* own_out, int steps, int swapped) {{\n"
            f"    {STENCIL_CALL}{'_staged' if shape.staged else ''}<{base}_stencil, {shape.columns}, {shape.rows}, "
            f"{shape.warps}>({{{{{{{values}}}}}}}, bounds, {fields}, near_out, own_out, steps, swapped);\n}}\n"
        )
    numbers = [INFO_VERSION, names.index(stencil.near), names.index(stencil.own), len(SHAPES)]
    for shape in SHAPES:
        numbers += [shape.columns, shape.rows, shape.warps, shape.alone, shape.cost, int(shape.staged)]
    return f'{text}\nextern "C" __device__ int {base}_cuda_stencil[] = {{{", ".join(map(str, numbers))}}};\n'


@cache
def stencil_runtime() -> str:
    """The text that the entries need once a module."""
    return f"#if WC_CUDA\n{Path(__file__).with_name('cuda_stencil.hpp').read_text()}\n#endif\n"


def _is_field(type: ArrayType) -> bool:
    return type.ndim == 2 and type.dtype is scalars.float32


def _written_arrays(body: tuple[ir.Stmt, ...]) -> list[ir.Local]:
    targets = [ir.array_of(node.target) for node in ir.walk(body) if isinstance(node, ir.Assign)]
    return [place.array for place in targets if place is not None and isinstance(place.array, ir.Local)]


def _is_unusual(form: ir.KernelForm, body: tuple[ir.Stmt, ...]) -> bool:
    """Whether the body has effects that cells as variables don't express, or a name of ours."""
    parameters = {parameter.name for parameter in form.parameters}
    for node in ir.walk(body):
        if isinstance(node, ir.Atomic | ir.Evaluate | ir.Call):
            return True
        if isinstance(node, ir.Local) and node.name.startswith("cell__"):
            return True
        if isinstance(node, ir.Assign) and isinstance(node.target, ir.Local) and node.target.name in parameters:
            return True
    return False


def _cell(offset: tuple[int, int]) -> str:
    """cell__m1_0 for the cell one row up."""
    return "cell__" + "_".join(f"m{-part}" if part < 0 else str(part) for part in offset)


class _Cells:
    """Replaces accesses to two fields by variables, one a cell; notices when that isn't possible."""

    def __init__(self, body: tuple[ir.Stmt, ...], near: str, own: str) -> None:
        self.body, self.near, self.own = body, near, own
        self.values = _single_values(body)
        self.offsets: set[tuple[int, int]] = set()
        self.possible = True

    def stencil(self) -> Stencil | None:
        body = ir.rewrite(self.body, self._change)
        if not self.possible or not self.offsets or any(isinstance(node, ir.Load) for node in ir.walk(body)):
            return None
        return Stencil(self.near, self.own, body, tuple(sorted(self.offsets)))

    def _change(self, node: ir.Expr) -> ir.Expr:
        if isinstance(node, ir.Interior):  # marks of the planner, for rows of single cells
            return node.otherwise
        if not isinstance(node, ir.Load) or not isinstance(node.array, ir.Local):
            return node
        if node.array.name not in (self.near, self.own):
            return node
        row, column = (self._offset(index, dimension) for dimension, index in enumerate(node.indices))
        if row is None or column is None or max(abs(row), abs(column)) > 1:
            self.possible = False
            return node
        if node.array.name == self.own:
            self.possible = self.possible and row == column == 0
            return ir.Local(node.type, OWN)
        self.offsets.add((row, column))
        return ir.Local(node.type, _cell((row, column)))

    def _offset(self, index: ir.Expr, dimension: int) -> int | None:
        """c when the index is `coordinate + c`, clamped to the grid unless c is 0."""
        if isinstance(index, ir.Local) and index.name in self.values:
            return self._offset(self.values[index.name], dimension)
        if isinstance(index, ir.Interior):
            return self._offset(index.otherwise, dimension)
        if isinstance(index, ir.Intrinsic) and index.name == "clamp" and self._is_grid(index.arguments, dimension):
            return self._distance(index.arguments[0], dimension)
        return 0 if self._distance(index, dimension) == 0 else None

    def _is_grid(self, arguments: tuple[ir.Expr, ...], dimension: int) -> bool:
        """Whether the limits are 0 and shape[dimension] - 1 of one of the fields."""
        _, low, high = arguments
        return (
            isinstance(low, ir.Literal)
            and low.value == 0
            and isinstance(high, ir.Binary)
            and high.op == "-"
            and isinstance(high.right, ir.Literal)
            and high.right.value == 1
            and isinstance(high.left, ir.Extent)
            and high.left.dimension == dimension
            and isinstance(high.left.array, ir.Local)
            and high.left.array.name in (self.near, self.own)
        )

    def _distance(self, value: ir.Expr, dimension: int) -> int | None:
        if isinstance(value, ir.Local) and value.name in self.values:
            return self._distance(self.values[value.name], dimension)
        if isinstance(value, ir.ThreadIndex):
            return 0 if value.dimension == dimension else None
        if isinstance(value, ir.Binary) and value.op in ("+", "-") and isinstance(value.right, ir.Literal):
            base = self._distance(value.left, dimension)
            step = int(value.right.value)
            return None if base is None else base + step if value.op == "+" else base - step
        return None


def _single_values(body: tuple[ir.Stmt, ...]) -> dict[str, ir.Expr]:
    """What variables stand for that are assigned once, at the top of the body."""
    counts: Counter[str] = Counter()
    for node in ir.walk(body):
        target = node.variable if isinstance(node, ir.For) else node.target if isinstance(node, ir.Assign) else None
        while isinstance(target, ir.FieldOf | ir.Component):
            target = target.value if isinstance(target, ir.FieldOf) else target.vector
        if isinstance(target, ir.Local):
            counts[target.name] += 1
    return {
        statement.target.name: statement.value
        for statement in body
        if isinstance(statement, ir.Assign)
        and isinstance(statement.target, ir.Local)
        and counts[statement.target.name] == 1
    }
