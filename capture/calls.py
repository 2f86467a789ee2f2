"""Calls in kernels: casts, constructors, intrinsics, the thread index, atomics and @func functions."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from . import ir, scalars
from .dtypes import ArrayType, short_name
from .expressions import ExpressionParser, settled
from .intrinsics import INTRINSICS, IntrinsicFunction, SpecialFunction
from .scalars import PYTHON_SCALARS, Scalar
from .source import MISSING
from .structs import StructType
from .vectors import MatrixType, VectorType

if TYPE_CHECKING:
    from .kernel import Function

BUILTIN_INTRINSICS = ((builtins.min, "min"), (builtins.max, "max"), (builtins.abs, "abs"), (builtins.round, "rint"))

FLOAT_ONLY = frozenset(
    name
    for name, entry in INTRINSICS.items()
    if entry.result((scalars.float32,) * entry.arity) and not entry.result((scalars.int32,) * entry.arity)
)


class CallParser(ExpressionParser):
    """Expressions, calls included."""

    def _call(self, node: ast.Call) -> ir.Expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.variables:
            return self.error(
                node, f"`{node.func.id}` is a variable, not a function", "call functions of the toolkit or @func ones"
            )
        callee = self.source.resolve(node.func)
        text = ast.unparse(node.func)
        if callee is MISSING:
            return self._unknown_call(node, text)
        from .kernel import Function, Kernel  # which holds parsers itself

        if isinstance(callee, Function):
            return self._user_call(node, callee)
        if isinstance(callee, Kernel):
            return self.error(
                node, f"`{text}` is a kernel", "a kernel can't call a kernel: make the shared part a @func"
            )
        self._no_keywords(node)
        if isinstance(callee, SpecialFunction):
            return self._special(node, callee.name)
        if isinstance(callee, type) and callee in PYTHON_SCALARS:
            callee = PYTHON_SCALARS[callee]
        if isinstance(callee, Scalar):
            return self._cast(node, callee)
        if isinstance(callee, VectorType | MatrixType | StructType):
            return self._construct(node, callee)
        callee = next((INTRINSICS[name] for function, name in BUILTIN_INTRINSICS if callee is function), callee)
        if isinstance(callee, IntrinsicFunction):
            return self._intrinsic(node, callee)
        return self._unknown_call(node, text)

    def _unknown_call(self, node: ast.Call, text: str) -> ir.Expr:
        last = text.rsplit(".", 1)[-1]
        if last in INTRINSICS:
            remedy = f"kernels have their own: `import whitecap.capture as wp` and write `wp.{last}(...)`"
        elif last == "print" or last == "printf":
            remedy = "kernels can't print: write the value to an array and look at it afterwards"
        elif last == "select":
            remedy = "write `wp.where(condition, if_true, if_false)`"
        elif last == "range":
            remedy = "`range` belongs in a `for` statement"
        else:
            remedy = "decorate it with @func, or use a function of the toolkit"
        return self.error(node, f"`{text}` can't be called in a kernel", remedy)

    def _no_keywords(self, node: ast.Call) -> None:
        if node.keywords:
            self.error(node, "arguments by keyword", "pass arguments by position")
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            self.error(node, "a starred argument", "write the arguments one by one")

    def _user_call(self, node: ast.Call, callee: Function) -> ir.Expr:
        self._no_keywords(node)
        form = callee.form(self.source, node)
        if len(node.args) != len(form.parameters):
            names = ", ".join(f"{parameter.name}: {short_name(parameter.type)}" for parameter in form.parameters)
            return self.error(
                node, f"{form.name}() takes {len(form.parameters)} arguments, {len(node.args)} given", f"pass ({names})"
            )
        arguments = tuple(
            self.converted(part, self.expression(part), parameter.type, f"argument `{parameter.name}` of {form.name}()")
            for part, parameter in zip(node.args, form.parameters)
        )
        result = form.result or scalars.bool  # a call without a value stands as a statement only
        return ir.Call(result, form, arguments, where=self.source.where(node))

    def _special(self, node: ast.Call, name: str) -> ir.Expr:
        if name == "tid":
            return self.thread_index(node, 1)[0]
        if len(node.args) < 3:
            return self.error(
                node, f"{name}() with {len(node.args)} arguments", f"write {name}(array, index..., value)"
            )
        array = self.expression(node.args[0])
        if not isinstance(array.type, ArrayType) or len(node.args) != array.type.ndim + 2:
            return self.error(
                node,
                f"{name}() on {short_name(array.type)} with {len(node.args) - 2} indices",
                f"write {name}(array, index..., value)",
            )
        indices = tuple(self._index(part) for part in node.args[1:-1])
        return self.atomic(node, name.removeprefix("atomic_"), array, indices, self.expression(node.args[-1]))

    def atomic(self, node: ast.AST, op: str, array: ir.Expr, indices: tuple[ir.Expr, ...], value: ir.Expr) -> ir.Expr:
        assert isinstance(array.type, ArrayType)
        dtype = array.type.dtype
        if not isinstance(dtype, Scalar) or dtype.size < 4 or dtype is scalars.bool:
            return self.error(
                node,
                f"an atomic operation on {short_name(dtype)}",
                "atomics take int32, uint32, int64, uint64, float32, float64",
            )
        value = self.converted(node, value, dtype, "the array's element")
        return ir.Atomic(dtype, op, array, indices, value, where=self.source.where(node))

    def thread_index(self, node: ast.Call, count: int) -> list[ir.Expr]:
        if not self.is_kernel:
            self.error(node, "tid() in a function", "call tid() in the kernel and pass the index as an argument")
        if node.args or node.keywords:
            self.error(node, "tid() with arguments", "write `i = tid()` or `i, j = tid()`")
        if self.rank not in (0, count):
            self.error(
                node, f"tid() with {count} indices here and {self.rank} before", "use one number of indices in a kernel"
            )
        self.rank = count
        where = self.source.where(node)
        return [ir.ThreadIndex(scalars.int32, dimension, count, where=where) for dimension in range(count)]

    def _cast(self, node: ast.Call, type: Scalar) -> ir.Expr:
        if len(node.args) != 1:
            return self.error(node, f"{type.name}() with {len(node.args)} arguments", "cast one number")
        value = self.expression(node.args[0])
        where = self.source.where(node)
        if not isinstance(value.type, Scalar):
            return self.error(
                node,
                f"casting {short_name(value.type)} to {type.name}",
                "cast numbers, or a vector's components one by one",
            )
        adapted = self.adapt(value, type)
        if isinstance(adapted, ir.Literal) and adapted.type == type:
            return ir.Literal(type, adapted.value, where=where)
        return value if value.type == type else ir.Cast(type, settled(value), where=where)

    def _construct(self, node: ast.Call, type: VectorType | MatrixType | StructType) -> ir.Expr:
        where = self.source.where(node)
        values = tuple(self.expression(part) for part in node.args)
        if isinstance(type, StructType):
            if values or type.holds_arrays:
                return self.error(node, f"making a {type.name} from arguments", "write `s = Name()` and set its fields")
            return ir.Construct(type, (), where=where)
        count = type.length if isinstance(type, VectorType) else type.rows * type.columns
        if len(values) not in (0, 1, count):
            return self.error(
                node, f"{type.name} from {len(values)} numbers", f"pass {count} numbers, one for all, or none for zeros"
            )
        parts = tuple(
            self.converted(part, value, type.scalar, f"a component of {type.name}")
            for part, value in zip(node.args, values)
        )
        return ir.Construct(type, parts, where=where)

    def _intrinsic(self, node: ast.Call, function: IntrinsicFunction) -> ir.Expr:
        values = [self.expression(part) for part in node.args]
        if len(values) != function.arity:
            return self.error(node, f"{function.name}() with {len(values)} arguments", f"it takes {function.takes}")
        strong = next(
            (v.type for v in values if not (isinstance(v, ir.Literal) and v.weak) and v.type is not scalars.bool), None
        )
        if strong is None:
            strong = next((v.type for v in values if v.type is scalars.float32), None)
        if isinstance(strong, VectorType) and function.name == "lerp":
            strong = strong.scalar
        if strong is not None:
            values = [self.adapt(value, strong) for value in values]
        elif function.name in FLOAT_ONLY:
            values = [self.adapt(value, scalars.float32) for value in values]
        values = [settled(value) for value in values]
        result = function.result(tuple(value.type for value in values))
        if result is None:
            found = ", ".join(short_name(value.type) for value in values)
            return self.error(
                node, f"{function.name}({found})", f"it takes {function.takes}; cast with float(x) or int(x)"
            )
        return ir.Intrinsic(result, function.name, tuple(values), where=self.source.where(node))
