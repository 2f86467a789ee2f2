"""Expressions and statements of the IR as C++ text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from . import ir, scalars
from .cpp_names import function_name, identifier
from .dtypes import ArrayType, Type, cpp_name
from .scalars import Scalar
from .structs import StructType
from .vectors import MatrixType, VectorType

# Binding strength, as in C++.
PRIMARY, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUALITY, BIT_AND, BIT_XOR, BIT_OR, AND, OR, CHOICE = range(20, 7, -1)
STRENGTH = {
    "*": PRODUCT, "/": PRODUCT, "+": SUM, "-": SUM, "<<": SHIFT, ">>": SHIFT,
    "<": ORDER, "<=": ORDER, ">": ORDER, ">=": ORDER, "==": EQUALITY, "!=": EQUALITY,
    "&": BIT_AND, "^": BIT_XOR, "|": BIT_OR,
}  # fmt: skip


def literal(type: Type, value: bool | int | float) -> str:
    """The exact value."""
    if type is scalars.bool:
        return "true" if value else "false"
    assert isinstance(type, Scalar)
    if type.is_float:
        return _float_literal(type, float(value))
    number = int(value)
    if type is scalars.int32:
        return str(number) if number != -(2**31) else "(-2147483647 - 1)"
    if type is scalars.int64:
        return f"{number}LL" if number != -(2**63) else "(-9223372036854775807LL - 1)"
    if type is scalars.uint32:
        return f"{number}u"
    return f"{number}ULL" if type is scalars.uint64 else f"{type.cpp}({number})"


def _float_literal(type: Scalar, value: float) -> str:
    if type is scalars.float32:
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    suffix = "f" if type is scalars.float32 else ""
    if not math.isfinite(value):
        bits = "0x7fc00000u" if math.isnan(value) else "0x7f800000u" if value > 0 else "0xff800000u"
        return f"{type.cpp}(wc::float_of_bits({bits}))"
    if (value * 1024).is_integer() and abs(value) < 1e6:
        return f"{value!r}{suffix}"
    return f"{value.hex()}{suffix}"


class ExpressionWriter:
    """Writes expressions.

    thread_names: how coordinates are called in the function being written. sites: when it's given, array accesses are
    checked, and each adds where it stands (config.verify).
    """

    def __init__(self, thread_names: tuple[str, ...] = (), sites: list[ir.Where] | None = None) -> None:
        self.thread_names = thread_names
        self.sites = sites

    def text(self, node: ir.Expr, least: int = 0) -> str:
        """C++ text, in parentheses when it binds less tightly than `least`."""
        text, strength = self._write(node)
        return text if strength >= least else f"({text})"

    def name(self, local: ir.Local) -> str:
        return identifier(local.name)

    def list(self, nodes: Iterable[ir.Expr]) -> str:
        return ", ".join(self.text(node) for node in nodes)

    def _write(self, node: ir.Expr) -> tuple[str, int]:
        match node:
            case ir.Literal():
                return literal(node.type, node.value), UNARY if node.value < 0 else PRIMARY
            case ir.Local():
                return self.name(node), PRIMARY
            case ir.ThreadIndex():
                return self.thread_names[node.dimension], PRIMARY
            case ir.GridIndex():
                return ("grid_row", "grid_column")[node.dimension], PRIMARY
            case ir.Interior():
                return f"interior ? {self.text(node.inside, OR)} : {self.text(node.otherwise, CHOICE)}", CHOICE
            case ir.Unary():
                text = f"{'!' if node.op == 'not' else node.op}{self.text(node.operand, PRIMARY)}"
                return self._narrowed(node, text, UNARY)
            case ir.Binary():
                return self._binary(node)
            case ir.Fma():
                addend = f"-{self.text(node.addend, PRIMARY)}" if node.subtract else self.text(node.addend)
                return f"wc::fma({self.text(node.left)}, {self.text(node.right)}, {addend})", PRIMARY
            case ir.Compare():
                strength = STRENGTH[node.op]
                return f"{self.text(node.left, SUM)} {node.op} {self.text(node.right, SUM)}", strength
            case ir.Logic():
                strength, op = (AND, " && ") if node.op == "and" else (OR, " || ")
                return op.join(self.text(part, BIT_OR) for part in node.operands), strength
            case ir.Select():
                parts = (self.text(node.condition, OR), self.text(node.if_true, OR), self.text(node.if_false, CHOICE))
                return f"{parts[0]} ? {parts[1]} : {parts[2]}", CHOICE
            case ir.Cast():
                return f"{cpp_name(node.type)}({self.text(node.operand)})", PRIMARY
            case ir.Load():
                return self._element(node), PRIMARY
            case ir.Component():
                indices = self.list(node.indices)
                open, close = "[]" if len(node.indices) == 1 else "()"
                return f"{self.text(node.vector, PRIMARY)}{open}{indices}{close}", PRIMARY
            case ir.FieldOf():
                return f"{self.text(node.value, PRIMARY)}.{identifier(node.name)}", PRIMARY
            case ir.Extent():
                return f"{self.text(node.array, PRIMARY)}.shape[{node.dimension}]", PRIMARY
            case ir.Construct():
                return self._construct(node), PRIMARY
            case ir.Intrinsic():
                return f"wc::{node.name}({self.list(node.arguments)})", PRIMARY
            case ir.Atomic():
                return f"wc::atomic_{node.op}({self._element(node)}, {self.text(node.value)})", PRIMARY
            case ir.Call():
                return f"{function_name(node.function)}({self.list(node.arguments)})", PRIMARY
        raise AssertionError(node)

    def _element(self, node: ir.Load | ir.Atomic) -> str:
        arguments = self.list((node.array, *node.indices))
        if self.sites is None:
            return f"wc::at({arguments})"
        self.sites.append(node.where)
        return f"wc::checked({len(self.sites) - 1}, {arguments})"

    def _binary(self, node: ir.Binary) -> tuple[str, int]:
        if node.op in ("//", "%"):
            name = "floordiv" if node.op == "//" else "mod"
            return f"wc::{name}({self.text(node.left)}, {self.text(node.right)})", PRIMARY
        strength = STRENGTH[node.op]
        # Inside bit operations and shifts every operand is put in parentheses: nobody knows those strengths by heart.
        least = (strength, strength + 1) if strength in (PRODUCT, SUM) else (UNARY, UNARY)
        text = f"{self.text(node.left, least[0])} {node.op} {self.text(node.right, least[1])}"
        return self._narrowed(node, text, strength)

    def _narrowed(self, node: ir.Expr, text: str, strength: int) -> tuple[str, int]:
        """C++ computes integers of less than 32 bits as int; back to their type, and to bool for & | ^ of bools."""
        if isinstance(node.type, Scalar) and node.type.size < 4:
            return f"{node.type.cpp}({text})", PRIMARY
        return text, strength

    def _construct(self, node: ir.Construct) -> str:
        name = cpp_name(node.type)
        if not node.arguments:
            return f"{name}{{}}"
        if isinstance(node.type, VectorType):
            if len(node.arguments) == 1:
                return f"wc::splat<{node.type.length}>({self.text(node.arguments[0])})"
            return f"{name}{{{{{self.list(node.arguments)}}}}}"
        assert isinstance(node.type, MatrixType)
        if len(node.arguments) == 1:
            return f"wc::splat<{node.type.rows}, {node.type.columns}>({self.text(node.arguments[0])})"
        rows = [node.arguments[i * node.type.columns : (i + 1) * node.type.columns] for i in range(node.type.rows)]
        return f"{name}{{{{{', '.join(f'{{{self.list(row)}}}' for row in rows)}}}}}"


class StatementWriter:
    """Writes a function body; variables are declared where C++ scoping allows, else at the top."""

    def __init__(
        self,
        body: tuple[ir.Stmt, ...],
        given: Iterable[str],
        thread_names: tuple[str, ...],
        with_lines: bool,
        sites: list[ir.Where] | None = None,
    ) -> None:
        self.expressions = ExpressionWriter(thread_names, sites)
        self.lines: list[str] = []
        self.with_lines = with_lines
        places = _Places(body, set(given))
        self.declared_at = places.declared_at
        self.constants = places.constants
        for name, type in places.hoisted.items():
            self._put(1, f"{cpp_name(type)} {identifier(name)} = {{}};")
        self._block(body, 1)

    def _put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _block(self, body: tuple[ir.Stmt, ...], depth: int) -> None:
        for statement in body:
            if self.with_lines and statement.where:
                self.lines.append(f'#line {statement.where.line} "{statement.where.file}"')
            self._statement(statement, depth)

    def _statement(self, node: ir.Stmt, depth: int) -> None:
        text = self.expressions.text
        match node:
            case ir.Assign():
                prefix = ""
                if isinstance(node.target, ir.Local) and id(node) in self.declared_at:
                    const = "const " if node.target.name in self.constants else ""
                    prefix = f"{const}{cpp_name(node.target.type)} "
                self._put(depth, f"{prefix}{text(node.target)} = {text(node.value)};")
            case ir.If():
                self._if(node, depth)
            case ir.For():
                name = identifier(node.variable.name)
                order, change = ("<", "+=") if node.step > 0 else (">", "-=")
                step = (
                    f"++{name}"
                    if node.step == 1
                    else f"--{name}"
                    if node.step == -1
                    else f"{name} {change} {abs(node.step)}"
                )
                stop = text(node.stop, SUM) if isinstance(node.stop, ir.Literal) else f"{name}_stop"
                declared = "" if isinstance(node.stop, ir.Literal) else f", {name}_stop = {text(node.stop)}"
                self._put(depth, f"for (int {name} = {text(node.start)}{declared}; {name} {order} {stop}; {step}) {{")
                self._block(node.body, depth + 1)
                self._put(depth, "}")
            case ir.While():
                self._put(depth, f"while ({text(node.condition)}) {{")
                self._block(node.body, depth + 1)
                self._put(depth, "}")
            case ir.Break():
                self._put(depth, "break;")
            case ir.Continue():
                self._put(depth, "continue;")
            case ir.Return():
                self._put(depth, f"return {text(node.value)};" if node.value is not None else "return;")
            case ir.Evaluate():
                self._put(depth, f"{text(node.value)};")

    def _if(self, node: ir.If, depth: int) -> None:
        self._put(depth, f"if ({self.expressions.text(node.condition)}) {{")
        self._block(node.then, depth + 1)
        if node.otherwise:
            self._put(depth, "} else {")
            self._block(node.otherwise, depth + 1)
        self._put(depth, "}")


class _Places:
    """Where each variable of a body is declared.

    Python's variables belong to the function, C++'s to a block. A variable whose first occurrence is an assignment
    right in the innermost block around all its occurrences is declared there; any other at the top, where it keeps its
    value from one pass of a loop to the next.
    """

    def __init__(self, body: tuple[ir.Stmt, ...], given: set[str]) -> None:
        self.given = given
        self.first: dict[str, tuple[tuple[int, ...], ir.Stmt | None]] = {}
        self.common: dict[str, tuple[int, ...]] = {}
        self.types: dict[str, Type] = {}
        self.writes: Counter[str] = Counter()
        self.blocks = 0
        self._block(body, ())
        self.declared_at: set[int] = set()
        self.hoisted: dict[str, Type] = {}
        for name, (path, statement) in self.first.items():
            if statement is not None and path == self.common[name]:
                self.declared_at.add(id(statement))
            else:
                self.hoisted[name] = self.types[name]
        self.constants = {name for name, count in self.writes.items() if count == 1 and name not in self.hoisted}

    def _block(self, body: tuple[ir.Stmt, ...], outer: tuple[int, ...]) -> None:
        self.blocks += 1
        path = (*outer, self.blocks)
        for statement in body:
            self._statement(statement, path)

    def _statement(self, node: ir.Stmt, path: tuple[int, ...]) -> None:
        if isinstance(node, ir.Assign):
            self._read(node.value, path)
            if isinstance(node.target, ir.Local):
                self._see(node.target, path, node)
                self.writes[node.target.name] += 1
            else:
                self._read(node.target, path)
                self._count_part(node.target)
            return
        if isinstance(node, ir.For):
            self.given.add(node.variable.name)
        for child in ir.children(node):
            if isinstance(child, ir.Expr):
                self._read(child, path)
        for part in (getattr(node, name, ()) for name in ("then", "otherwise", "body")):
            if part:
                self._block(part, path)

    def _count_part(self, target: ir.Expr) -> None:
        while isinstance(target, ir.FieldOf | ir.Component):
            target = target.value if isinstance(target, ir.FieldOf) else target.vector
        if isinstance(target, ir.Local):
            self.writes[target.name] += 1

    def _read(self, tree: ir.Expr, path: tuple[int, ...]) -> None:
        for node in ir.walk(tree):
            if isinstance(node, ir.Local):
                self._see(node, path, None)

    def _see(self, local: ir.Local, path: tuple[int, ...], statement: ir.Stmt | None) -> None:
        name = local.name
        if name in self.given:
            return
        self.types[name] = local.type
        self.first.setdefault(name, (path, statement))
        known = self.common.setdefault(name, path)
        shared = [a for a, b in zip(known, path) if a == b]
        self.common[name] = tuple(shared)


def struct_text(type: StructType) -> str:
    fields = "".join(f"    {cpp_name(field.type)} {identifier(field.name)};\n" for field in type.fields)
    return f'struct {cpp_name(type)} {{\n{fields}}};\nstatic_assert(sizeof({cpp_name(type)}) == {type.size}, "ABI");\n'


def structs_of(types: Iterable[Type]) -> list[StructType]:
    """Every struct type reachable from the given types, inner ones first."""
    found: dict[str, StructType] = {}

    def visit(type: Type) -> None:
        if isinstance(type, ArrayType):
            visit(type.dtype)
        elif isinstance(type, StructType):
            for field in type.fields:
                visit(field.type)
            found[cpp_name(type)] = type

    for type in types:
        visit(type)
    return list(found.values())


def function_text(function: ir.Function, with_lines: bool, sites: list[ir.Where] | None = None) -> str:
    given = [parameter.name for parameter in function.parameters]
    writer = StatementWriter(function.body, given, (), with_lines, sites)
    result = cpp_name(function.result) if function.result else "void"
    parameters = ", ".join(_parameter_text(parameter) for parameter in function.parameters)
    body = "\n".join(writer.lines)
    return f"WC_INLINE {result} {function_name(function)}({parameters}) {{\n{body}\n}}\n"


def _parameter_text(parameter: ir.Parameter) -> str:
    by_reference = isinstance(parameter.type, ArrayType)
    name = cpp_name(parameter.type)
    return f"{f'const {name}&' if by_reference else name} {identifier(parameter.name)}"
