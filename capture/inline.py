"""Calls of functions without branches, written out at the place of the call.

Runs after fusing, so it changes no rounding. The loop planner then sees the index arithmetic inside samplers such as
`sample(heights, y, x + 1)`; everything else stays a call.
"""

from __future__ import annotations

from . import ir


def inline_calls(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    expanded: tuple[ir.Stmt, ...] = ir.rewrite(body, _expanded)
    return expanded


def _expanded(node: ir.Expr) -> ir.Expr:
    if not isinstance(node, ir.Call):
        return node
    body = inline_calls(node.function.body)
    if not _is_straight(body) or any(map(_has_effects, body)) or any(map(_has_effects, node.arguments)):
        return node
    meanings = {parameter.name: part for parameter, part in zip(node.function.parameters, node.arguments)}
    for position, statement in enumerate(body):
        if not all(_is_simple(part) or _count(body[position:], name) <= 1 for name, part in meanings.items()):
            return node
        assert isinstance(statement, ir.Assign | ir.Return)
        value = _substituted(statement.value, meanings)
        if isinstance(statement, ir.Return):
            return value
        assert isinstance(statement.target, ir.Local)
        meanings = {**meanings, statement.target.name: value}
    return node


def _substituted(value: ir.Expr | None, meanings: dict[str, ir.Expr]) -> ir.Expr:
    """The expression with every variable replaced by what it stands for."""
    result: ir.Expr = ir.rewrite(value, lambda part: meanings[part.name] if isinstance(part, ir.Local) else part)
    return result


def _is_straight(body: tuple[ir.Stmt, ...]) -> bool:
    """Assignments to fresh variables, then `return value`."""
    if not body or not isinstance(body[-1], ir.Return) or body[-1].value is None:
        return False
    names = [
        statement.target.name
        for statement in body[:-1]
        if isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Local)
    ]
    return len(names) == len(body) - 1 == len(set(names))


def _has_effects(tree: ir.Expr | ir.Stmt) -> bool:
    return any(isinstance(part, ir.Atomic | ir.Call) for part in ir.walk(tree))


def _is_simple(node: ir.Expr) -> bool:
    """Cheap enough to stand in several places: a name, a constant, or their sum or difference."""
    if isinstance(node, ir.Binary) and node.op in ("+", "-"):
        return all(isinstance(part, ir.Local | ir.Literal) for part in (node.left, node.right))
    return isinstance(node, ir.Local | ir.Literal | ir.Extent)


def _count(body: tuple[ir.Stmt, ...], name: str) -> int:
    return sum(isinstance(node, ir.Local) and node.name == name for node in ir.walk(body))
