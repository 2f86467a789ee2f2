"""What a kernel does with the memory behind each of its arguments: "read", "write" or "read_write"."""

from __future__ import annotations

from . import ir

READ, WRITE = 1, 2
NAMES = {0: "unknown", READ: "read", WRITE: "write", READ | WRITE: "read_write"}


def argument_access(kernel: ir.KernelForm) -> dict[str, str]:
    """For every parameter that holds arrays; an array that is never touched counts as read."""
    uses = _uses(kernel.body)
    return {
        parameter.name: NAMES[uses.get(parameter.name, READ)]
        for parameter in kernel.parameters
        if getattr(parameter.type, "holds_arrays", False)
    }


def _uses(body: tuple[ir.Stmt, ...]) -> dict[str, int]:
    """Bits by the name of the parameter that an access starts from."""
    uses: dict[str, int] = {}

    def note(array: ir.Expr, bits: int) -> None:
        while isinstance(array, ir.FieldOf):  # an array inside a struct argument
            array = array.value
        if isinstance(array, ir.Local):
            uses[array.name] = uses.get(array.name, 0) | bits

    def visit(node: ir.Expr | ir.Stmt) -> None:
        if isinstance(node, ir.Assign) and (place := ir.array_of(node.target)):
            note(place.array, WRITE)
            for part in (*place.indices, *_index_parts(node.target), node.value):
                visit(part)
            return
        if isinstance(node, ir.Load):
            note(node.array, READ)
        elif isinstance(node, ir.Atomic):
            note(node.array, READ | WRITE)
        elif isinstance(node, ir.Call):
            inner = _uses(node.function.body)
            for parameter, argument in zip(node.function.parameters, node.arguments):
                if getattr(argument.type, "holds_arrays", False):
                    note(argument, inner.get(parameter.name, 0))
        for child in ir.children(node):
            visit(child)

    for statement in body:
        visit(statement)
    return uses


def _index_parts(target: ir.Expr) -> list[ir.Expr]:
    """Index expressions of components between an element and what is assigned: `a[i][k] = ...`."""
    parts: list[ir.Expr] = []
    while isinstance(target, ir.Component | ir.FieldOf):
        if isinstance(target, ir.Component):
            parts.extend(target.indices)
            target = target.vector
        else:
            target = target.value
    return parts
