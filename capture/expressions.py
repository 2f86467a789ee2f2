"""Expressions: from Python's syntax tree to typed IR, refusing whatever the language has no meaning for."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from . import ir, scalars
from .dtypes import ArrayType, Type, short_name
from .scalars import Scalar
from .source import MISSING, FunctionSource
from .structs import StructType, StructValue
from .vectors import COMPONENTS, MatrixType, VectorType

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class ExpressionParser:
    """Parses expressions of one function; the statement parser (parse.py) keeps `variables` up to date."""

    def __init__(self, source: FunctionSource, is_kernel: bool) -> None:
        self.source = source
        self.is_kernel = is_kernel
        self.variables: dict[str, Type] = {}
        self.rank = 0  # of the thread index; 0: tid() not seen yet
        self.assigned: frozenset[str] = frozenset()  # every name that the function assigns somewhere

    def error(self, node: ast.AST, problem: str, remedy: str) -> NoReturn:
        self.source.error(node, problem, remedy)

    # Entry points

    def expression(self, node: ast.expr) -> ir.Expr:
        """Something that has a value."""
        value = self.expression_or_call(node)
        if isinstance(value, ir.Call) and value.function.result is None:
            return self.error(node, f"{value.function.name}() returns nothing", "call it as a statement")
        return value

    def expression_or_call(self, node: ast.expr) -> ir.Expr:
        handler: Callable[[Any], ir.Expr] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            return self.error(
                node, f"{_describe(node)} is no expression of the kernel language",
                "use numbers, variables, arithmetic, comparisons, `a if c else b`, indexing and calls",
            )  # fmt: skip
        return handler(node)

    def condition(self, node: ast.expr) -> ir.Expr:
        """A bool; integers count as `!= 0`, as in Python."""
        value = self.expression(node)
        if value.type is scalars.bool:
            return value
        if isinstance(value.type, Scalar) and value.type.is_integer:
            zero = ir.Literal(value.type, 0, where=value.where)
            return ir.Compare(scalars.bool, "!=", value, zero, where=value.where)
        return self.error(
            node, f"a condition of type {short_name(value.type)}", "write a comparison, such as `x > 0.0`"
        )

    def adapt(self, value: ir.Expr, type: Type) -> ir.Expr:
        """A literal written without a type takes the type that it meets; anything else stays as it is."""
        if not isinstance(value, ir.Literal) or not value.weak or value.type == type or not isinstance(type, Scalar):
            return value
        if type.is_float:
            return ir.Literal(type, float(value.value), where=value.where)
        if type.is_integer and isinstance(value.value, int) and fits(value.value, type):
            return ir.Literal(type, value.value, where=value.where)
        return value

    def converted(self, node: ast.AST, value: ir.Expr, type: Type, what: str) -> ir.Expr:
        """The value as `type`, or a refusal: the language converts nothing by itself but literals."""
        value = self.adapt(value, type)
        if value.type != type:
            self.error(
                node, f"{what} is {short_name(type)}, this is {short_name(value.type)}", cast_remedy(value.type, type)
            )
        return settled(value)

    # Names and constants

    def _constant(self, node: ast.Constant) -> ir.Expr:
        return self._literal(node, node.value)

    def _literal(self, node: ast.expr, value: Any) -> ir.Expr:
        where = self.source.where(node)
        if isinstance(value, bool):
            return ir.Literal(scalars.bool, value, where=where)
        if isinstance(value, int):
            type = next(
                (t for t in (scalars.int32, scalars.uint32, scalars.int64, scalars.uint64) if fits(value, t)), None
            )
            if type is None:
                return self.error(
                    node, f"the integer {value} has more than 64 bits", "use a number that fits in int64 or uint64"
                )
            return ir.Literal(type, value, weak=True, where=where)
        if isinstance(value, float):
            return ir.Literal(scalars.float32, value, weak=True, where=where)
        if isinstance(value, np.generic) and value.dtype.name in scalars.SCALARS:
            return ir.Literal(scalars.SCALARS[value.dtype.name], value.item(), where=where)
        return self.error(
            node, f"{value!r} ({type_name(value)}) is no constant of the kernel language",
            "use an int, float or bool, or pass it as an argument",
        )  # fmt: skip

    def _name(self, node: ast.Name) -> ir.Expr:
        if node.id in self.variables:
            return ir.Local(self.variables[node.id], node.id, where=self.source.where(node))
        if node.id in self.assigned:
            return self.error(
                node,
                f"`{node.id}` may be read before it has a value",
                f"give `{node.id}` a value before this line, on every path",
            )
        return self._outside(node, node.id)

    def _outside(self, node: ast.expr, text: str) -> ir.Expr:
        """A constant from outside the function."""
        value = self.source.resolve(node)
        if value is MISSING:
            return self.error(node, f"`{text}` isn't defined", "define it before the kernel, or make it an argument")
        if isinstance(value, bool | int | float | np.generic):
            return self._literal(node, value)
        if isinstance(value, np.ndarray) and value.ndim == 1 and hasattr(value, "x"):
            return self._constant_vector(node, value)
        if isinstance(value, StructValue) or type_name(value) in ("array", "ndarray"):
            return self.error(
                node, f"`{text}` is {type_name(value)} data from outside the kernel", "pass it as an argument"
            )
        return self.error(
            node,
            f"`{text}` is a {type_name(value)}, not a number",
            "constants are int, float or bool; pass data as arguments",
        )

    def _constant_vector(self, node: ast.expr, value: np.ndarray[Any, Any]) -> ir.Expr:
        scalar = scalars.SCALARS[value.dtype.name]
        from .vectors import VECTORS

        type = next(t for t in VECTORS.values() if t.scalar is scalar and t.length == len(value))
        parts = tuple(ir.Literal(scalar, component.item()) for component in value)
        return ir.Construct(type, parts, where=self.source.where(node))

    # Operators

    def _unaryop(self, node: ast.UnaryOp) -> ir.Expr:
        where = self.source.where(node)
        if isinstance(node.op, ast.Not):
            return ir.Unary(scalars.bool, "not", self.condition(node.operand), where=where)
        operand = self.expression(node.operand)
        op = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(node.op)]
        if op == "~":
            if not (isinstance(operand.type, Scalar) and operand.type.is_integer):
                return self.error(
                    node, f"`~` of {short_name(operand.type)}", "`~` flips the bits of integers; for a bool write `not`"
                )
            return ir.Unary(operand.type, "~", settled(operand), where=where)
        if operand.type is scalars.bool or isinstance(operand.type, ArrayType | StructType):
            return self.error(node, f"`{op}` of {short_name(operand.type)}", "negate numbers, vectors or matrices")
        if op == "+":
            return operand
        if isinstance(operand, ir.Literal):
            return self._negated(operand, where)
        return ir.Unary(operand.type, "-", operand, where=where)

    def _negated(self, literal: ir.Literal, where: ir.Where) -> ir.Expr:
        type: Type = literal.type
        if literal.weak and type is not scalars.float32:
            type = next(t for t in (scalars.int32, scalars.int64, scalars.uint64) if fits(-int(literal.value), t))
        return ir.Literal(type, -literal.value, weak=literal.weak, where=where)

    def _binop(self, node: ast.BinOp) -> ir.Expr:
        return self.binary(node, BINARY[type(node.op)], self.expression(node.left), self.expression(node.right))

    def binary(self, node: ast.AST, op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        """`left op right`, typed; used by augmented assignments as well."""
        where = self.source.where(node)
        if op in ("*", "/", "@") and (linear := self._linear(op, left, right, where)):
            return linear
        left, right = self._matched(left, right)
        if op in ("<<", ">>") and isinstance(left.type, Scalar):
            right = self.adapt(right, left.type)
        kind = left.type
        if left.type != right.type:
            return self.error(
                node,
                f"`{op}` of {short_name(left.type)} and {short_name(right.type)}",
                _mixed_remedy(left.type, right.type),
            )
        if isinstance(kind, VectorType | MatrixType) and op in ("+", "-"):
            return ir.Binary(kind, op, left, right, where=where)
        if not isinstance(kind, Scalar) or (kind is scalars.bool and op not in ("&", "|", "^")):
            return self.error(node, f"`{op}` of {short_name(kind)}", _operand_remedy(op, kind))
        if op == "/" and kind.is_integer:
            return self.error(
                node, f"`/` of two integers ({kind.name})", "write `//` (rounds down) or `float(a) / float(b)`"
            )
        if op in ("&", "|", "^", "<<", ">>") and kind.is_float:
            return self.error(node, f"`{op}` of {kind.name}", "bit operations take integers: cast with `int(...)`")
        if op == "**":
            return self._power(node, left, right)
        if op == "@":
            return self.error(node, f"`@` of {kind.name}", "`@` multiplies matrices and vectors; for numbers write `*`")
        return self._folded(op, left, right, where) or ir.Binary(kind, op, settled(left), settled(right), where=where)

    def _matched(self, left: ir.Expr, right: ir.Expr) -> tuple[ir.Expr, ir.Expr]:
        """Literals take the type of the other side; two literals, one of them a float, become floats."""
        if isinstance(left, ir.Literal) and left.weak and isinstance(right, ir.Literal) and right.weak:
            if left.type is scalars.float32:
                return left, self.adapt(right, left.type)
            return self.adapt(left, right.type), right
        return self.adapt(left, right.type), self.adapt(right, left.type)

    def _folded(self, op: str, left: ir.Expr, right: ir.Expr, where: ir.Where) -> ir.Expr | None:
        """Integer literals are combined now, exactly; they stay without a type of their own."""
        if not (isinstance(left, ir.Literal) and isinstance(right, ir.Literal) and left.weak and right.weak):
            return None
        if left.type is not scalars.int32 or op not in ("+", "-", "*"):
            return None
        a, b = int(left.value), int(right.value)
        value = a + b if op == "+" else a - b if op == "-" else a * b
        type = next((t for t in (scalars.int32, scalars.int64, scalars.uint64) if fits(value, t)), None)
        return ir.Literal(type, value, weak=True, where=where) if type else None

    def _linear(self, op: str, left: ir.Expr, right: ir.Expr, where: ir.Where) -> ir.Expr | None:
        """Products and quotients of vectors and matrices."""
        a, b = left.type, right.type
        compound = VectorType | MatrixType
        if isinstance(a, compound) and not isinstance(b, compound):
            right = self.adapt(right, a.scalar)
            return ir.Binary(a, op, left, right, where=where) if right.type == a.scalar and op in ("*", "/") else None
        if isinstance(b, compound) and not isinstance(a, compound):
            left = self.adapt(left, b.scalar)
            return ir.Binary(b, op, left, right, where=where) if left.type == b.scalar and op == "*" else None
        if isinstance(a, MatrixType) and op in ("*", "@"):
            fits = a == b if isinstance(b, MatrixType) else isinstance(b, VectorType) and b.length == a.columns
            return ir.Binary(b, "*", left, right, where=where) if fits and b.scalar == a.scalar else None  # type: ignore[union-attr]
        return None

    def _power(self, node: ast.AST, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        """Squares, cubes and fourth powers are products (the same bits everywhere); the rest is pow()."""
        where = self.source.where(node)
        if isinstance(right, ir.Literal) and right.value in (2, 3, 4):
            return ir.Intrinsic(left.type, f"power{int(right.value)}", (settled(left),), where=where)
        if not (isinstance(left.type, Scalar) and left.type.is_float):
            return self.error(
                node, f"`**` of {short_name(left.type)}", "raise floats, or integers to the constant powers 2, 3 or 4"
            )
        return ir.Intrinsic(left.type, "pow", (settled(left), settled(right)), where=where)

    def _boolop(self, node: ast.BoolOp) -> ir.Expr:
        op = "and" if isinstance(node.op, ast.And) else "or"
        operands = tuple(self.condition(value) for value in node.values)
        return ir.Logic(scalars.bool, op, operands, where=self.source.where(node))

    def _compare(self, node: ast.Compare) -> ir.Expr:
        operands = [self.expression(part) for part in (node.left, *node.comparators)]
        parts = tuple(
            self._comparison(node, op, left, right) for op, left, right in zip(node.ops, operands, operands[1:])
        )
        return parts[0] if len(parts) == 1 else ir.Logic(scalars.bool, "and", parts, where=self.source.where(node))

    def _comparison(self, node: ast.Compare, op: ast.cmpop, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        if type(op) not in COMPARE:
            return self.error(node, f"`{_describe(op)}` in a comparison", "use == != < <= > >=")
        left, right = self._matched(left, right)
        if left.type != right.type:
            return self.error(
                node,
                f"comparing {short_name(left.type)} with {short_name(right.type)}",
                _mixed_remedy(left.type, right.type),
            )
        equality = COMPARE[type(op)] in ("==", "!=")
        if not (isinstance(left.type, Scalar) or (isinstance(left.type, VectorType) and equality)):
            return self.error(node, f"comparing {short_name(left.type)}", "compare numbers, or vectors with == and !=")
        return ir.Compare(scalars.bool, COMPARE[type(op)], settled(left), settled(right), where=self.source.where(node))

    def _ifexp(self, node: ast.IfExp) -> ir.Expr:
        condition = self.condition(node.test)
        if_true, if_false = self._matched(self.expression(node.body), self.expression(node.orelse))
        if if_true.type != if_false.type or getattr(if_true.type, "holds_arrays", False):
            return self.error(
                node,
                f"the two values are {short_name(if_true.type)} and {short_name(if_false.type)}",
                "give both one type",
            )
        return ir.Select(if_true.type, condition, settled(if_true), settled(if_false), where=self.source.where(node))

    # Access

    def _attribute(self, node: ast.Attribute) -> ir.Expr:
        if not self._is_value(node.value):
            return self._outside(node, ast.unparse(node))
        value = self.expression(node.value)
        where = self.source.where(node)
        if isinstance(value.type, StructType):
            field = value.type.field(node.attr)
            if field is None:
                names = ", ".join(field.name for field in value.type.fields)
                return self.error(
                    node, f"struct {value.type.name} has no field `{node.attr}`", f"its fields are {names}"
                )
            return ir.FieldOf(field.type, value, node.attr, where=where)
        if isinstance(value.type, VectorType):
            index = COMPONENTS[: value.type.length].find(node.attr) if len(node.attr) == 1 else -1
            if index < 0:
                names = ", ".join(COMPONENTS[: value.type.length])
                return self.error(node, f"{value.type.name} has no component `{node.attr}`", f"use {names} or an index")
            return ir.Component(value.type.scalar, value, (ir.Literal(scalars.int32, index),), where=where)
        if isinstance(value.type, ArrayType) and node.attr == "shape":
            return self.error(node, "`shape` by itself", "ask for one extent, such as `a.shape[0]`")
        remedy = (
            "arrays have `shape[i]`" if isinstance(value.type, ArrayType) else "only structs and vectors have parts"
        )
        return self.error(node, f"{short_name(value.type)} has no attribute `{node.attr}` in kernels", remedy)

    def _is_value(self, node: ast.expr) -> bool:
        """Whether a dotted name starts at something inside the kernel."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in self.variables or node.id in self.assigned

    def _subscript(self, node: ast.Subscript) -> ir.Expr:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and self._is_value(node.value):
            owner = self.expression(node.value.value)
            if isinstance(owner.type, ArrayType):
                return self._extent(node, owner, owner.type)
        value = self.expression(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(part, ast.Slice) for part in parts):
            return self.error(node, "a slice", "index with one integer per dimension")
        indices = tuple(self._index(part) for part in parts)
        where = self.source.where(node)
        if isinstance(value.type, ArrayType):
            if len(indices) != value.type.ndim:
                return self.error(
                    node, f"{len(indices)} indices for an array of {value.type.ndim} dimensions",
                    f"write {value.type.ndim} indices, such as `a[{', '.join('ijkl'[: value.type.ndim])}]`",
                )  # fmt: skip
            return ir.Load(value.type.dtype, value, indices, where=where)
        if isinstance(value.type, VectorType):
            return self._component(node, value, (value.type.length,), indices)
        if isinstance(value.type, MatrixType):
            return self._component(node, value, (value.type.rows, value.type.columns), indices)
        return self.error(node, f"indexing {short_name(value.type)}", "index arrays, vectors and matrices")

    def _component(
        self, node: ast.AST, value: ir.Expr, shape: tuple[int, ...], indices: tuple[ir.Expr, ...]
    ) -> ir.Expr:
        if len(indices) != len(shape):
            return self.error(node, f"{len(indices)} indices for {short_name(value.type)}", f"write {len(shape)}")
        for index, extent in zip(indices, shape):
            if isinstance(index, ir.Literal) and not 0 <= int(index.value) < extent:
                return self.error(node, f"index {index.value} of {short_name(value.type)}", f"use 0 to {extent - 1}")
        return ir.Component(value.type.scalar, value, indices, where=self.source.where(node))  # type: ignore[union-attr]

    def _index(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if isinstance(value.type, Scalar) and value.type.is_integer:
            return settled(value)
        return self.error(node, f"an index of type {short_name(value.type)}", "index with integers: `int(x)`")

    def _extent(self, node: ast.Subscript, array: ir.Expr, type: ArrayType) -> ir.Expr:
        index = self.expression(node.slice)
        if not isinstance(index, ir.Literal) or not 0 <= int(index.value) < type.ndim:
            return self.error(node, "an extent that isn't there", f"use shape[0] to shape[{type.ndim - 1}]")
        return ir.Extent(scalars.int32, array, int(index.value), where=self.source.where(node))


def settled(value: ir.Expr) -> ir.Expr:
    """A literal that has met no type keeps its own."""
    return (
        ir.Literal(value.type, value.value, where=value.where)
        if isinstance(value, ir.Literal) and value.weak
        else value
    )


def fits(value: int, type: Scalar) -> bool:
    bits = type.size * 8
    return 0 <= value < 1 << bits if type.kind == "u" else -(1 << bits - 1) <= value < 1 << bits - 1


def cast_remedy(found: Type, wanted: Type) -> str:
    if isinstance(found, Scalar) and isinstance(wanted, Scalar):
        return f"cast it: `{python_name(wanted)}(...)`"
    return f"give a value of type {short_name(wanted)}"


def python_name(type: Scalar) -> str:
    return {"int32": "int", "float32": "float", "bool": "bool"}.get(type.name, f"wp.{type.name}")


def _mixed_remedy(left: Type, right: Type) -> str:
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        wanted = left if left.is_float or not right.is_float else right
        return f"nothing is converted silently: cast one side, such as `{python_name(wanted)}(...)`"
    return "give both sides one type"


def _operand_remedy(op: str, type: Type) -> str:
    if type is scalars.bool:
        return "cast bools with `int(...)`, or combine them with `and`, `or`, `not`"
    if isinstance(type, VectorType | MatrixType):
        return "vectors take + and -, and * or / with a number; work on the components for the rest"
    return "read an element or a field first"


def type_name(value: Any) -> str:
    return "module" if isinstance(value, ModuleType) else type(value).__name__


def _describe(node: ast.AST) -> str:
    names = {
        "ListComp": "a list comprehension", "List": "a list", "Tuple": "a tuple", "Dict": "a dict", "Set": "a set",
        "Lambda": "a lambda", "JoinedStr": "an f-string", "Await": "`await`", "Yield": "`yield`", "NamedExpr": "`:=`",
        "GeneratorExp": "a generator", "Starred": "a starred expression", "DictComp": "a dict comprehension",
        "SetComp": "a set comprehension", "YieldFrom": "`yield from`", "Is": "is", "IsNot": "is not", "In": "in",
        "NotIn": "not in",
    }  # fmt: skip
    return names.get(type(node).__name__, type(node).__name__)
