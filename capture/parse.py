"""Statements, functions and kernels: from Python's syntax tree to typed IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import ir, scalars
from .calls import CallParser
from .dtypes import ArrayType, ElementType, Type, resolve_annotation, short_name
from .expressions import BINARY, cast_remedy
from .intrinsics import SpecialFunction
from .source import FunctionSource


def parse_kernel(source: FunctionSource) -> ir.KernelForm:
    """Raises KernelError for whatever the language has no meaning for."""
    if not source.name.isascii():
        source.error(
            source.tree,
            f"the kernel name `{source.name}` isn't ASCII",
            "kernel names become symbols: use a-z, 0-9 and _",
        )
    parser = StatementParser(source, is_kernel=True)
    parameters = parser.parameters()
    body = parser.block(source.tree.body)
    return ir.KernelForm(source.name, parameters, parser.rank or 1, body)


def parse_function(source: FunctionSource) -> ir.Function:
    parser = StatementParser(source, is_kernel=False)
    parameters = parser.parameters()
    body = parser.block(source.tree.body)
    if parser.result is not None and not _always_returns(body):
        parser.error(
            source.tree, f"{source.name}() returns a value on some paths only", "end every path with `return value`"
        )
    return ir.Function(source.name, parameters, parser.result, body)


class StatementParser(CallParser):
    """Parses the body of one function."""

    def __init__(self, source: FunctionSource, is_kernel: bool) -> None:
        super().__init__(source, is_kernel)
        self.result: ElementType | None = None
        self.returned_nothing = False
        self.loops: list[ast.stmt] = []
        self.loop_variables: list[str] = []
        self.parameter_names: set[str] = set()

    def parameters(self) -> tuple[ir.Parameter, ...]:
        arguments = self.source.tree.args
        extra = arguments.vararg or arguments.kwarg or next(iter(arguments.kwonlyargs + arguments.posonlyargs), None)
        if extra is not None:
            self.error(extra, f"the parameter `{extra.arg}` is not plain", "write `name: type` for every parameter")
        if arguments.defaults:
            self.error(arguments.defaults[0], "a default value", "give every argument at the launch or call")
        parameters = tuple(ir.Parameter(node.arg, self._annotation(node)) for node in arguments.args)
        self.variables = {parameter.name: parameter.type for parameter in parameters}
        self.parameter_names = set(self.variables)
        self.assigned = frozenset(
            node.id
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        return parameters

    def _annotation(self, node: ast.arg) -> Type:
        if node.annotation is None:
            self.error(node, f"the parameter `{node.arg}` has no type", f"write `{node.arg}: float` or another type")
        annotation = self.source.function.__annotations__.get(node.arg)
        try:
            return resolve_annotation(annotation, self.source.names())
        except TypeError as error:
            return self.error(node, f"the type of `{node.arg}`: {error}", "use a type of the kernel language")

    # Statements

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        return tuple(statement for node in nodes for statement in self.statement(node))

    def statement(self, node: ast.stmt) -> list[ir.Stmt]:
        handler: Callable[[Any], list[ir.Stmt]] | None = getattr(self, f"_stmt_{type(node).__name__.lower()}", None)
        if handler is None:
            self.error(
                node, f"`{_keyword(node)}` is no statement of the kernel language",
                "use assignments, if, for ... in range(...), while, break, continue, return and calls",
            )  # fmt: skip
        return handler(node)

    def _stmt_pass(self, _: ast.Pass) -> list[ir.Stmt]:
        return []

    def _stmt_assign(self, node: ast.Assign) -> list[ir.Stmt]:
        if len(node.targets) != 1:
            self.error(node, "several targets in one assignment", "assign to one name at a time")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            return self._unpack(node, target)
        return [self._assignment(node, target, self.expression(node.value))]

    def _stmt_annassign(self, node: ast.AnnAssign) -> list[ir.Stmt]:
        if node.value is None or not isinstance(node.target, ast.Name):
            self.error(node, "a declaration without a value", "write `name: type = value`")
        value = self.expression(node.value)
        text = ast.unparse(node.annotation)
        try:
            wanted = resolve_annotation(text, self.source.names())
        except TypeError as error:
            return self.error(node.annotation, str(error), "use a type of the kernel language")
        return [self._assignment(node, node.target, self.converted(node.value, value, wanted, f"`{node.target.id}`"))]

    def _unpack(self, node: ast.Assign, target: ast.Tuple) -> list[ir.Stmt]:
        """`i, j = tid()`, or as many values as names (all values are taken before the first assignment)."""
        value = node.value
        if isinstance(value, ast.Call) and self._is_tid(value):
            if len(target.elts) > 4:
                self.error(node, f"tid() with {len(target.elts)} indices", "a launch has 1 to 4 dimensions")
            indices = self.thread_index(value, len(target.elts))
            return [self._assignment(node, name, index) for name, index in zip(target.elts, indices)]
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            self.error(node, "unpacking something other than tid() or as many values", "assign the parts one by one")
        names = {part.id for part in target.elts if isinstance(part, ast.Name)}
        values = [self.expression(part) for part in value.elts]
        used = {local.name for part in values for local in ir.walk(part) if isinstance(local, ir.Local)}
        if names & used:
            self.error(
                node, "a tuple assignment whose values use its targets", "use a temporary: `t = a`, `a = b`, `b = t`"
            )
        return [self._assignment(node, name, part) for name, part in zip(target.elts, values)]

    def _is_tid(self, node: ast.Call) -> bool:
        callee = self.source.resolve(node.func)
        return isinstance(callee, SpecialFunction) and callee.name == "tid"

    def _assignment(self, node: ast.stmt, target: ast.expr, value: ir.Expr) -> ir.Stmt:
        where = self.source.where(node)
        if isinstance(target, ast.Name):
            return ir.Assign(self._variable(node, target, value), self._value_for(node, target, value), where=where)
        place = self.expression(target)
        if isinstance(place, ir.FieldOf | ir.Component):
            self._check_place(target, place)
        elif not isinstance(place, ir.Load):
            self.error(
                target, "this can't be assigned to", "assign to a variable, an array element, a field or a component"
            )
        return ir.Assign(place, self.converted(node, value, place.type, "the target"), where=where)

    def _check_place(self, target: ast.expr, place: ir.Expr) -> None:
        """Fields and components of array elements and of the function's own variables."""
        if ir.array_of(place):
            return
        while isinstance(place, ir.FieldOf | ir.Component):
            place = place.value if isinstance(place, ir.FieldOf) else place.vector
        if not isinstance(place, ir.Local):
            self.error(target, "a part of a temporary value", "store the value in a variable first")
        elif place.name in self.parameter_names:
            self.error(target, f"a part of the parameter `{place.name}`", f"copy it first: `local = {place.name}`")

    def _variable(self, node: ast.stmt, target: ast.Name, value: ir.Expr) -> ir.Local:
        name = target.id
        if name in self.loop_variables:
            self.error(node, f"`{name}` counts this loop", "use another name, or a `while` loop")
        if getattr(value.type, "holds_arrays", False):
            what = "an array" if isinstance(value.type, ArrayType) else "a struct that holds arrays"
            self.error(node, f"{what} in a variable", "use the parameter itself")
        self.variables.setdefault(name, value.type)
        return ir.Local(self.variables[name], name, where=self.source.where(target))

    def _value_for(self, node: ast.stmt, target: ast.Name, value: ir.Expr) -> ir.Expr:
        wanted = self.variables[target.id]
        if self.adapt(value, wanted).type != wanted:
            self.error(
                node, f"`{target.id}` is {short_name(wanted)} and gets {short_name(value.type)}",
                f"{cast_remedy(value.type, wanted)}, or use another name",
            )  # fmt: skip
        return self.converted(node, value, wanted, f"`{target.id}`")

    def _stmt_augassign(self, node: ast.AugAssign) -> list[ir.Stmt]:
        """`x += v`. On array elements += and -= are atomic, as in Warp."""
        target = self.expression(node.target)
        value = self.expression(node.value)
        op = BINARY[type(node.op)]
        where = self.source.where(node)
        if isinstance(target, ir.Load) and op in ("+", "-") and isinstance(target.type, scalars.Scalar):
            atomic = self.atomic(node, "add" if op == "+" else "sub", target.array, target.indices, value)
            return [ir.Evaluate(atomic, where=where)]
        return [self._assignment(node, node.target, self.binary(node, op, target, value))]

    def _stmt_expr(self, node: ast.Expr) -> list[ir.Stmt]:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return []  # a docstring or a remark
        value = self.expression_or_call(node.value)
        if not isinstance(value, ir.Call | ir.Atomic):
            self.error(node, "an expression whose value isn't used", "assign it to a name, or remove it")
        return [ir.Evaluate(value, where=self.source.where(node))]

    def _stmt_if(self, node: ast.If) -> list[ir.Stmt]:
        condition = self.condition(node.test)
        return [ir.If(condition, self.block(node.body), self.block(node.orelse), where=self.source.where(node))]

    def _stmt_while(self, node: ast.While) -> list[ir.Stmt]:
        self._no_else(node, node.orelse)
        condition = self.condition(node.test)
        return [ir.While(condition, self._loop_body(node, node.body), where=self.source.where(node))]

    def _stmt_for(self, node: ast.For) -> list[ir.Stmt]:
        self._no_else(node, node.orelse)
        call = node.iter
        if not isinstance(node.target, ast.Name):
            self.error(node.target, "a loop over more than one variable", "write `for i in range(n):`")
        if not isinstance(call, ast.Call) or self.source.resolve(call.func) is not range or call.keywords:
            self.error(node.iter, "a loop over something other than range(...)", "write `for i in range(n):`")
        if not 1 <= len(call.args) <= 3:
            self.error(
                call,
                f"range() with {len(call.args)} arguments",
                "write range(stop), range(start, stop) or range(start, stop, step)",
            )
        bounds = [
            self.converted(part, self.expression(part), scalars.int32, "a bound of range()") for part in call.args
        ]
        step = self._step(call, bounds)
        name = node.target.id
        if name in self.variables:
            self.error(node.target, f"`{name}` is used outside this loop too", "give the loop a variable of its own")
        zero = ir.Literal(scalars.int32, 0)
        start, stop = (zero, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        self.variables[name] = scalars.int32
        self.loop_variables.append(name)
        body = self._loop_body(node, node.body)
        self.loop_variables.pop()
        del self.variables[name]
        variable = ir.Local(scalars.int32, name, where=self.source.where(node.target))
        return [ir.For(variable, start, stop, step, body, where=self.source.where(node))]

    def _step(self, call: ast.Call, bounds: list[ir.Expr]) -> int:
        if len(bounds) < 3:
            return 1
        step = bounds[2]
        if not isinstance(step, ir.Literal) or step.value == 0:
            self.error(call.args[2], "a step that isn't a constant other than 0", "write a number, or a `while` loop")
        return int(step.value)

    def _loop_body(self, node: ast.For | ast.While, body: list[ast.stmt]) -> tuple[ir.Stmt, ...]:
        self.loops.append(node)
        parsed = self.block(body)
        self.loops.pop()
        return parsed

    def _no_else(self, node: ast.stmt, orelse: list[ast.stmt]) -> None:
        if orelse:
            self.error(orelse[0], "`else` of a loop", "use a variable that says whether the loop was left early")

    def _stmt_break(self, node: ast.Break) -> list[ir.Stmt]:
        return [ir.Break(where=self.source.where(node))]

    def _stmt_continue(self, node: ast.Continue) -> list[ir.Stmt]:
        return [ir.Continue(where=self.source.where(node))]

    def _stmt_return(self, node: ast.Return) -> list[ir.Stmt]:
        where = self.source.where(node)
        if node.value is None:
            if self.result is not None:
                self.error(
                    node,
                    "`return` without a value after one with a value",
                    "return a value of the same type everywhere",
                )
            self.returned_nothing = True
            return [ir.Return(where=where)]
        if self.is_kernel:
            self.error(
                node, "a kernel that returns a value", "write results to an array; `return` alone leaves the kernel"
            )
        if isinstance(node.value, ast.Tuple):
            self.error(node, "several return values", "return a vector or a struct")
        value = self.expression(node.value)
        if getattr(value.type, "holds_arrays", False):
            self.error(node, "an array as a return value", "return a number, a vector or a struct of those")
        if self.returned_nothing or (self.result is not None and self.adapt(value, self.result).type != self.result):
            found = "nothing" if self.returned_nothing else short_name(self.result)
            self.error(node, f"returns {short_name(value.type)} here and {found} before", "return one type everywhere")
        if self.result is None:
            assert not isinstance(value.type, ArrayType)
            self.result = value.type
        return [ir.Return(self.converted(node, value, self.result, "the result"), where=where)]


def _always_returns(body: tuple[ir.Stmt, ...]) -> bool:
    for statement in body:
        if isinstance(statement, ir.Return):
            return True
        if isinstance(statement, ir.If) and _always_returns(statement.then) and _always_returns(statement.otherwise):
            return True
    return False


def _keyword(node: ast.stmt) -> str:
    names = {
        ast.With: "with", ast.Try: "try", ast.Raise: "raise", ast.Assert: "assert", ast.Delete: "del",
        ast.Import: "import", ast.ImportFrom: "import", ast.Global: "global", ast.Nonlocal: "nonlocal",
        ast.FunctionDef: "def", ast.ClassDef: "class", ast.AsyncFunctionDef: "async",
    }  # fmt: skip
    return names.get(type(node), "match" if type(node).__name__ == "Match" else type(node).__name__)
