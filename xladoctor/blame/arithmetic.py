"""Operators: arithmetic on sizes, comparisons, and which way a test goes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xladoctor.blame.algebra import broadcast, product
from xladoctor.blame.setting_files import joined
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dim,
    Function,
    Layer,
    Library,
    Map,
    Model,
    Origin,
    Scope,
    Seq,
    Value,
    is_open,
    number,
    unknown,
)
from xladoctor.sources.arithmetic import OPERATORS
from xladoctor.sources.names import last_name

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_LONGEST = 4096
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_UNSURE = object()


def truth(value: Value) -> bool | None:
    """Whether a test holds, where that is known."""
    if isinstance(value, Const):
        return None if value.value is _UNSURE else bool(value.value)
    if isinstance(value, Seq):
        return None if value.is_open else bool(value.items)
    if isinstance(value, Map):
        return True if value.items else None
    return True if isinstance(value, Function | Class | Layer | Model) else None


_COUNTS = frozenset({"len", "index", "find", "int", "float", "round", "ord"})


def one_number(node: ast.expr) -> Array | None:
    """A single number, where a call gives nothing else: `len(x)`, `names.index(x)`."""
    is_number = isinstance(node, ast.Call) and last_name(node.func) in _COUNTS
    return Array(()) if is_number else None


def binary(run: Follower, node: ast.BinOp, scope: Scope) -> Value:
    """`a + b`: on numbers, lists and arrays."""
    left, right = run.value(node.left, scope), run.value(node.right, scope)
    if isinstance(node.op, ast.Div) and (path := joined(left, right)) is not None:
        return path
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(node, left, right, scope)
    if isinstance(left, Seq) and isinstance(right, Seq) and isinstance(node.op, ast.Add):
        return Seq([*left.items, *right.items], left.origin)
    if isinstance(left, Seq) and isinstance(right, Array) and isinstance(node.op, ast.Add) and _is_list(left, right):
        more = right.dims[1:] if right.dims is not None else None
        return Array([Dim(None, right.origin), *more] if more is not None else None, right.origin)
    if isinstance(left, Seq) and isinstance(node.op, ast.Mult) and number(right) is not None:
        return Seq(left.items * min(number(right) or 0, _LONGEST // max(len(left.items), 1)), left.origin)
    if isinstance(node.op, ast.MatMult):
        return product(run, left, right, "the matrix product")
    if isinstance(left, Array) or isinstance(right, Array):
        return broadcast(run, [left, right], "the operation")
    return unknown(left, right)


def _is_list(left: Seq, right: Array) -> bool:
    """Whether what is added to a list is a list, of as many items as something has, and not an array."""
    return not left.items or (right.origin is not None and right.origin.text == "a list")


def _computed(node: ast.BinOp, left: Const, right: Const, scope: Scope) -> Value:
    act = OPERATORS.get(type(node.op))
    parents = tuple(o for o in (left.origin, right.origin) if o is not None)
    origin = Origin("constant", scope.file, node.lineno, ast.unparse(node)[:60], parents)
    numbers = all(isinstance(v.value, int | float) for v in (left, right))
    try:
        if isinstance(node.op, ast.Pow) and numbers and abs(left.value) <= 1 << 20 and 0 <= right.value <= 8:
            return Const(left.value**right.value, origin)
        if act is None or not numbers:
            if is_open(left) or is_open(right):
                return Array((), origin)
            return Const(left.value + right.value, origin) if isinstance(node.op, ast.Add) else Value(origin)
        return Const(act(left.value, right.value), origin)
    except (TypeError, ArithmeticError, ValueError):
        return Array((), origin) if is_open(left) or is_open(right) else Value(origin)


def unary(run: Follower, node: ast.UnaryOp, scope: Scope) -> Value:
    """`-a`, `not a`."""
    inner = run.value(node.operand, scope)
    if isinstance(node.op, ast.Not):
        known = truth(inner)
        return Const(not known) if known is not None else Value(inner.origin)
    if isinstance(inner, Const) and isinstance(inner.value, int | float) and isinstance(node.op, ast.USub):
        return Const(-inner.value, inner.origin)
    return inner


def compare(run: Follower, node: ast.Compare, scope: Scope) -> Value:
    """`a == b`, `a is None`, `a in b`."""
    left = run.value(node.left, scope)
    rights = [run.value(item, scope) for item in node.comparators]
    act = _COMPARED.get(type(node.ops[0]))
    if len(rights) == 1 and isinstance(left, Const) and isinstance(rights[0], Const):
        try:
            if act is not None:
                return Const(bool(act(left.value, rights[0].value)))
        except TypeError:
            return Value()
    if len(rights) == 1 and isinstance(left, Library) and isinstance(rights[0], Library) and left.bound is None:
        same = left.name == rights[0].name
        if isinstance(node.ops[0], ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
            return Const(same == isinstance(node.ops[0], ast.Is | ast.Eq))
    if isinstance(node.ops[0], ast.Is | ast.IsNot) and _is_none(rights) and type(left) is not Value:
        return Const(isinstance(node.ops[0], ast.IsNot))
    if isinstance(left, Const) and len(rights) == 1 and isinstance(rights[0], Seq | Map):
        keys = rights[0].items
        known = [k.value for k in keys if isinstance(k, Const)] if isinstance(keys, list) else list(keys)
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return Const((left.value in known) == isinstance(node.ops[0], ast.In))
    if isinstance(left, Array) and left.dims is not None:
        return broadcast(run, [left, *rights], "the comparison")
    return unknown(left, *rights)


def _is_none(rights: list[Value]) -> bool:
    return len(rights) == 1 and isinstance(rights[0], Const) and rights[0].value is None


def boolean(run: Follower, node: ast.BoolOp, scope: Scope) -> Value:
    """`a and b`, `a or b`."""
    found: Value = Value()
    for item in node.values:
        found = run.value(item, scope)
        known = truth(found)
        if known is None:
            continue
        if known != isinstance(node.op, ast.And):
            return found
    return found
