"""Fused multiply-adds, chosen once and for every target.

The rule, applied to each expression from the inside out, for float32 and float64 scalars:

    a * b + c   ->  fma(a, b, c)
    c + a * b   ->  fma(a, b, c)      when c is no product; of two products the left one is fused
    a * b - c   ->  fma(a, b, -c)
    c - a * b   ->  fma(-a, b, c)     when c is no product

A product is a `*` written in the same expression: what stands in a variable or comes from a function is a value and
stays rounded. Compilers are forbidden to contract anything further, so the bits follow from the source alone.
"""

from __future__ import annotations

from . import ir
from .scalars import Scalar


def fuse(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    """The body with its multiply-adds fused."""
    fused: tuple[ir.Stmt, ...] = ir.rewrite(body, _fused)
    return fused


def _is_product(node: ir.Expr) -> bool:
    return isinstance(node, ir.Binary) and node.op == "*"


def _fused(node: ir.Expr) -> ir.Expr:
    if not isinstance(node, ir.Binary) or node.op not in ("+", "-"):
        return node
    if not isinstance(node.type, Scalar) or not node.type.is_float:
        return node
    left, right = node.left, node.right
    if isinstance(left, ir.Binary) and _is_product(left):
        return ir.Fma(node.type, left.left, left.right, right, node.op == "-", where=node.where)
    if isinstance(right, ir.Binary) and _is_product(right):
        factor = right.left if node.op == "+" else _negative(right.left)
        return ir.Fma(node.type, factor, right.right, left, where=node.where)
    return node


def _negative(value: ir.Expr) -> ir.Expr:
    if isinstance(value, ir.Literal):
        return ir.Literal(value.type, -value.value, where=value.where)
    return ir.Unary(value.type, "-", value, where=value.where)
