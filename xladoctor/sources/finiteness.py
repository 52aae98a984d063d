"""Where a program asks whether a value is finite: the sign that it reckons with NaN and acts on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xladoctor.sources.names import last_name, nodes_of, walk

_ASKS = frozenset(
    {"isfinite", "isnan", "isinf", "is_finite", "is_nan", "is_inf", "is_non_finite", "isna", "isnull", "notna",
     "notnull"}
)  # fmt: skip
_ACTS = frozenset(
    {"nanargmin", "nanargmax", "nanmin", "nanmax", "nanmedian", "nan_to_num", "dropna", "check_numerics",
     "assert_all_finite"}
)  # fmt: skip
"""Calls that pass over such values, replace them, or raise at them: nothing else has to depend on their answer."""
_STOPS = frozenset({"TerminateOnNaN"})
"""What Keras has for it."""
_TEXTS = ("nan", "inf")

Kind = Literal["asks", "stops", "bound", "limit", "order"]


@dataclass(frozen=True)
class NanTest:
    """A place where something depends on a value that may be NaN or infinite.

    Attributes:
        kind: "asks" is asked for NaN by intent, "stops" is a callback of Keras. The others compare sizes: "bound" wants
            a value below another, which NaN is not; "limit" gives up where a value is too large, which NaN is not
            either; "order" is any other, and a NaN never wins it.
        values: the expressions that are tested; `others` is what they are compared with.
    """

    line: int
    name: str
    kind: Kind
    values: tuple[ast.AST, ...]
    others: tuple[ast.AST, ...] = ()


def nan_tests(tree: ast.Module) -> list[NanTest]:
    """Every such place of a file, in order."""
    found = {}
    for call in nodes_of(tree, ast.Call):
        if (name := last_name(call.func)) in _ACTS | _STOPS:
            found[call.lineno, name] = NanTest(call.lineno, name, "stops" if name in _STOPS else "asks", _asked(call))
    for part in _deciding(tree):
        for test in _explicit(part):
            found.setdefault((test.line, test.name), test)
    for node in walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            for test in _compared(node):
                found.setdefault((test.line, test.name), test)
    return [found[key] for key in sorted(found)]


def _deciding(tree: ast.Module) -> Iterator[ast.AST]:
    """The expressions on which a branch, a loop, a filter, a choice or a returned answer depends."""
    for node in walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.BoolOp):
            yield from node.values
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            if last_name(node.func) in ("where", "cond", "filter", "select", "sum", "any", "all"):
                yield node
        elif isinstance(node, ast.Lambda):
            yield node.body


def _explicit(part: ast.AST) -> Iterator[NanTest]:
    for node in walk(part):
        if isinstance(node, ast.Call) and last_name(node.func) in _ASKS:
            yield NanTest(node.lineno, last_name(node.func), "asks", _asked(node))
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq | ast.Eq) and _same(*sides):
                yield NanTest(node.lineno, _text(node), "asks", (node.left,))
            elif any(_is_infinity(side) for side in sides):
                yield NanTest(node.lineno, _text(node), "asks", tuple(s for s in sides if not _is_infinity(s)))


def _asked(call: ast.Call) -> tuple[ast.AST, ...]:
    """What a test is asked of: its arguments, or the object whose method it is."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return given or ((call.func.value,) if isinstance(call.func, ast.Attribute) else ())


def _compared(node: ast.If | ast.While | ast.IfExp) -> Iterator[NanTest]:
    """The comparisons of size on which a branch depends."""
    negated = {id(n.operand) for n in nodes_of(node.test, ast.UnaryOp) if isinstance(n.op, ast.Not)}
    for compare in nodes_of(node.test, ast.Compare):
        if not all(isinstance(o, _SIZES) for o in compare.ops):
            continue
        if len(compare.ops) > 1:  # both sides bounded: of NaN and of infinity this is false
            yield NanTest(compare.lineno, _text(compare), "bound", tuple(compare.comparators[:-1]))
            continue
        small, large = compare.left, compare.comparators[0]
        if isinstance(compare.ops[0], ast.Gt | ast.GtE):
            small, large = large, small
        line, text = compare.lineno, _text(compare)
        if id(compare) in negated or isinstance(node, ast.While):
            yield NanTest(line, f"not {text}" if id(compare) in negated else text, "bound", (small,), (large,))
        elif isinstance(node, ast.If) and any(map(_gives_up, node.body)):
            yield NanTest(line, text, "limit", (large,), (small,))
        else:
            yield NanTest(line, text, "order", (small, large))


_SIZES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _gives_up(statement: ast.stmt) -> bool:
    """Whether a branch ends a loop, a function or the training."""
    if isinstance(statement, ast.Break | ast.Continue | ast.Return | ast.Raise):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(last_name(target) == "stop_training" for target in targets)


def _same(left: ast.AST, right: ast.AST) -> bool:
    return ast.dump(left) == ast.dump(right)


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:59] + "…"


def _is_infinity(node: ast.AST) -> bool:
    """`float("inf")`, `math.inf`, `"nan"`: what a value is compared with that may not be finite."""
    if isinstance(node, ast.Call) and last_name(node.func) == "float" and node.args:
        node = node.args[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.strip("+-").lower() in _TEXTS
    return isinstance(node, ast.Attribute) and node.attr.lower() in ("inf", "infty")
