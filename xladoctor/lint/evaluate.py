"""Expressions: syntax -> abstract values."""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.lint import calling, lookup
from xladoctor.lint.frames import Branch, Closure, Frame, Index, Mix
from xladoctor.lint.results import INEXACT, LITERAL, WIDTHS, broadcast_rows, element
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Value, differ, join, merge, times

if TYPE_CHECKING:
    from xladoctor.lint.interpret import Interpreter


def expression(run: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """The value of an expression; what it calls is followed, and checks see what happens on the way."""
    run.step()
    found = _KINDS.get(type(node))
    if found is not None:
        return found(run, node, frame)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            expression(run, child, frame)
    return UNKNOWN


def constant(value: object) -> Value:
    """A literal."""
    if isinstance(value, bool) or value is None:
        return Value(Content.STATIC, False, size=int(value) if value is not None else None)
    if isinstance(value, int):
        return Value(Content.STATIC, False, size=value)
    if isinstance(value, float):
        return Value(Content.STATIC, False, width=LITERAL, rounded=None if _exact(value) else INEXACT)
    if isinstance(value, str) and value in WIDTHS:
        return Value(Content.STATIC, False, width=value)
    return STATIC


def _exact(value: float) -> bool:
    try:
        return struct.unpack("f", struct.pack("f", value))[0] == value or value != value
    except OverflowError:
        return False


def _constant(run: Interpreter, node: ast.Constant, frame: Frame) -> Value:
    return constant(node.value)


def _name(run: Interpreter, node: ast.Name, frame: Frame) -> Value:
    found = frame.find(node.id)
    return lookup.top_level(run, node.id, frame.module) if found is None else found


def _attribute(run: Interpreter, node: ast.Attribute, frame: Frame) -> Value:
    return lookup.attribute(run, node, frame)


def _items(run: Interpreter, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Value:
    items = tuple(_shallow(expression(run, item, frame)) for item in node.elts)
    if any(isinstance(item, ast.Starred) for item in node.elts):
        return replace(join(*items, tensor=False), grown=None)
    return Value(join(*items).content, False, join(*items).origin, items=items)


def _shallow(value: Value) -> Value:
    """Lists are known three deep: functions that return pairs of what they call would double with every call."""
    deep = value.items and any(inner.items for item in value.items for inner in item.items or ())
    return value.all_items if deep else value


def _starred(run: Interpreter, node: ast.Starred, frame: Frame) -> Value:
    return expression(run, node.value, frame).all_items


def _dict(run: Interpreter, node: ast.Dict, frame: Frame) -> Value:
    values = [expression(run, value, frame) for value in node.values]
    return replace(join(*values, tensor=False), grown=None) if values else STATIC


def _binary(run: Interpreter, node: ast.BinOp, frame: Frame) -> Value:
    one, other = expression(run, node.left, frame), expression(run, node.right, frame)
    if one.items is not None and isinstance(node.op, ast.Add) and other.items is not None:
        items = (*one.items, *other.items)
        return Value(join(*items).content, False, join(*items).origin, items=items)
    run.see(Mix(node, frame, one, other))
    made = join(one, other)
    if not made.tensor:
        return replace(
            made, tensor=made.tensor, size=_arithmetic(node.op, one, other), width=_literal_width(one, other)
        )
    tensors = {value.width for value in (one, other) if value.tensor}
    return replace(
        made,
        size=_arithmetic(node.op, one, other),
        rows=one.rows if isinstance(node.op, ast.MatMult) else broadcast_rows(one, other),
        width=tensors.pop() if len(tensors) == 1 else None,
        rounded=one.rounded if one.tensor else other.rounded,
    )


def _literal_width(one: Value, other: Value) -> str | None:
    return LITERAL if LITERAL in (one.width, other.width) else None


def _arithmetic(op: ast.operator, one: Value, other: Value) -> int | str | None:
    if isinstance(op, ast.Mult):
        return times(one.size, other.size)
    if isinstance(one.size, int) and isinstance(other.size, int) and isinstance(op, ast.Add | ast.Sub):
        return one.size + other.size if isinstance(op, ast.Add) else one.size - other.size
    return None


def _unary(run: Interpreter, node: ast.UnaryOp, frame: Frame) -> Value:
    value = expression(run, node.operand, frame)
    if isinstance(node.op, ast.USub):
        return replace(value, size=-value.size if isinstance(value.size, int) else None, items=None, target=None)
    return replace(value, size=None, boolean=True, items=None, target=None)


def _compare(run: Interpreter, node: ast.Compare, frame: Frame) -> Value:
    values = [expression(run, part, frame) for part in (node.left, *node.comparators)]
    if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops):
        return STATIC
    return replace(join(*values), rows=broadcast_rows(*values), boolean=True)


def _boolean(run: Interpreter, node: ast.BoolOp, frame: Frame) -> Value:
    return replace(join(*(expression(run, value, frame) for value in node.values)), boolean=True)


def _choice(run: Interpreter, node: ast.IfExp, frame: Frame) -> Value:
    test = expression(run, node.test, frame)
    one, other = expression(run, node.body, frame), expression(run, node.orelse, frame)
    return choose(run, node, frame, "", test, one, other)


def choose(run: Interpreter, node: ast.AST, frame: Frame, name: str, test: Value, one: Value, other: Value) -> Value:
    """The value of one of two branches; where a tensor decides, checks see both."""
    both = merge(one, other)
    if not test.tensor or test.content < Content.SHAPE:
        return both
    run.see(Branch(node, frame, name, one, other))
    if differ(one.rows, other.rows):
        return replace(both, tensor=True, grown=f"the branch in {frame.at(node)}")
    return both


def _subscript(run: Interpreter, node: ast.Subscript, frame: Frame) -> Value:
    value = expression(run, node.value, frame)
    index = node.slice
    if isinstance(index, ast.Slice | ast.Tuple) or value.items is None:
        run.see(Index(node, frame, value))
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    first = parts[0] if parts else index
    if isinstance(first, ast.Slice):
        return _sliced(run, node, first, value, frame)
    given = [expression(run, part, frame) for part in parts if not isinstance(part, ast.Slice)]
    if _is_new_axis(first):
        return replace(value, rows=1, size=None, items=None)
    if isinstance(first, ast.Constant) and first.value is ...:
        return replace(value, size=None, items=None)
    if given and given[0].boolean and given[0].tensor and value.tensor is not False:
        where = f"the mask in {frame.at(node)}"
        return Value(Content.RUNTIME, True, where, grown=where, width=value.width)
    number = given[0].size if given and len(parts) == 1 and isinstance(given[0].size, int) else None
    made = element(value, number)
    if value.tensor and given and given[0].tensor:
        return join(made, *given)
    return made


def _sliced(run: Interpreter, node: ast.Subscript, part: ast.Slice, value: Value, frame: Frame) -> Value:
    bounds = [expression(run, bound, frame) for bound in (part.lower, part.upper) if bound is not None]
    if isinstance(node.slice, ast.Tuple):
        for other in node.slice.elts[1:]:
            if not isinstance(other, ast.Slice):
                expression(run, other, frame)
    if value.items is not None or value.tensor is False:
        return replace(value, items=None, size=None, target=None, tensor=value.tensor)
    made = replace(value, items=None, size=None, target=None)
    if value.content in (Content.SHAPE, Content.SIZE) and value.target is not None:
        return replace(made, content=Content.SHAPE if part.lower is not None else value.content)
    if not bounds:
        return made
    if any(bound.content >= Content.SIZE and bound.tensor for bound in bounds):
        why = next(bound.origin for bound in bounds if bound.content >= Content.SIZE)
        return replace(made, rows=None, grown=f"the slice in {frame.at(node)}, bounded by {why}")
    lower = bounds[0].size if part.lower is not None else 0
    upper = bounds[-1].size if part.upper is not None else None
    if isinstance(lower, int) and isinstance(upper, int) and 0 <= lower <= upper:
        return replace(made, rows=upper - lower)
    return replace(made, rows=None)


def _is_new_axis(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def _lambda(run: Interpreter, node: ast.Lambda, frame: Frame) -> Value:
    function = frame.module.by_node.get(node)
    return Value(Content.STATIC, False, target=Closure(function, frame)) if function else UNKNOWN


def _comprehension(
    run: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, frame: Frame
) -> Value:
    inner = Frame(frame.function, frame.module, frame.entry, frame.chain, frame, guarded=frame.guarded)
    for generator in node.generators:
        over = expression(run, generator.iter, inner)
        run.bind(generator.target, element(over, None), inner)
        for test in generator.ifs:
            expression(run, test, inner)
    made = expression(run, node.value if isinstance(node, ast.DictComp) else node.elt, inner)
    return replace(join(made, tensor=False), grown=None)


def _walrus(run: Interpreter, node: ast.NamedExpr, frame: Frame) -> Value:
    value = expression(run, node.value, frame)
    run.bind(node.target, value, frame)
    return value


def _text(run: Interpreter, node: ast.JoinedStr, frame: Frame) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            expression(run, part.value, frame)
    return STATIC


_KINDS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _items,
    ast.List: _items,
    ast.Set: _items,
    ast.Starred: _starred,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Call: calling.call,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _text,
}
