"""Predictions and truths in two units: the labels of a `fit` were scaled, and only one of both was scaled back, by
another scaler, or by a function that is not the inverse.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from xladoctor.sources.held import View
from xladoctor.sources.names import dotted, keyword, last_name, names_in, nodes_of, walk
from xladoctor.sources.predictions import PREDICTS, inner
from xladoctor.sources.slips.slip import Slip

_INVERSE = {"log1p": "expm1", "log": "exp", "log10": "10 **", "log2": "2 **", "sqrt": "square", "arcsinh": "sinh"}
_BACK = {"expm1": "expm1", "exp": "exp", "exp10": "10 **", "exp2": "2 **", "square": "square", "sinh": "sinh"}
_SCORES = frozenset(
    {"mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error", "median_absolute_error",
     "root_mean_squared_error"}
)  # fmt: skip
_UNIT = re.compile(
    r" ?(°C|°|K|kWh?|MWh?|GWh?|W/m2|W|hPa|kPa|MPa|Pa|bar|ppm|ppb|[uµ]g/\w+|mg/\w+|g/\w+|kg|mm|cm|km|nm|[uµ]m|m/s|m3/s|"
    r"m|Hz|dB|[kM]?eV|mV|V|s|ms|min|h|hours|days|years|EUR|USD|degrees|t/ha|mol)(?![\w/])"
)
_RELATIVE = re.compile(r"σ|sigma|\bsd\b|std|scaled|standardi|normali|\blog|relative|deviation", re.IGNORECASE)
_DEPTH = 14


@dataclass(frozen=True)
class Step:
    """A change of units: `key` is the scaler or function, `names` are those of a mean and a deviation."""

    back: bool
    key: str
    line: int
    names: frozenset[str] = frozenset()


@dataclass
class Chain:
    """How a value came about, nearest first; `predicted` if it began with a `predict`, `root` where it did not."""

    steps: list[Step] = field(default_factory=list)
    predicted: bool = False
    root: str = ""


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    labels = [c for v in view.every() for call in v.calls("fit") if (c := _of_fit(v, call))]
    keys = {tuple(s.key for s in c.steps) for c in labels}
    if len(keys) != 1 or len(labels[0].steps) != 1 or labels[0].steps[0].back:
        return
    scaled = labels[0].steps[0]
    told: set[int] = set()
    for one, other, node in _meetings(view):
        for guess, truth in ((one, other), (other, one)):
            same = truth.root and all(truth.root == c.root for c in labels)
            if guess.predicted and not truth.predicted and same and node.lineno not in told:
                found = _apart(scaled, guess, truth)
                if found is not None:
                    told.add(node.lineno)
                    yield _slip(node, scaled, *found)
            alike = [(s.key, s.back) for s in truth.steps] == [(scaled.key, False)] and not guess.steps
            if guess.predicted and not truth.predicted and alike and (printed := _with_unit(view, node)):
                yield _still_scaled(scaled, *printed)


def _of_fit(view: View, call: ast.Call) -> Chain | None:
    """The chain of the labels of a `fit` of Keras."""
    labels = keyword(call, "y") or (call.args[1] if len(call.args) > 1 else None)
    plain = labels is not None and not isinstance(labels, ast.Constant)
    return chain(view, labels) if labels is not None and plain and isinstance(call.func, ast.Attribute) else None


def _meetings(view: View) -> Iterator[tuple[Chain, Chain, ast.expr]]:
    """Differences, and the arguments of errors."""
    for call in view.calls(*_SCORES):
        if len(call.args) >= 2:
            yield chain(view, call.args[0]), chain(view, call.args[1]), call
    for node in nodes_of(view.tree, ast.BinOp):
        if isinstance(node.op, ast.Sub):
            yield chain(view, node.left), chain(view, node.right), node


def _with_unit(view: View, node: ast.expr) -> tuple[int, str] | None:
    """(line, text) of a `print` that puts a unit behind an error which only means, roots and squares made of this."""
    statement = view.statement(node)
    if statement is None or any(isinstance(n, ast.BinOp) and not _plain(n, node) for n in walk(statement)):
        return None
    names = {n.id for t in getattr(statement, "targets", []) for n in nodes_of(t, ast.Name)}
    for call in view.calls("print"):
        for text in (n for a in call.args for n in nodes_of(a, ast.JoinedStr)):
            for value, after in zip(text.values, text.values[1:], strict=False):
                whole = isinstance(value, ast.FormattedValue) and isinstance(value.value, ast.Name)
                unit = _UNIT.match(str(getattr(after, "value", "")))
                if whole and value.value.id in names and unit and not _RELATIVE.search(ast.unparse(text)):  # type: ignore[attr-defined]
                    return call.lineno, unit[1]
    return None


def _plain(operation: ast.BinOp, node: ast.expr) -> bool:
    """A power, a difference, or one of what the difference is made of."""
    inside = any(n is operation for n in walk(node))
    return inside or isinstance(operation.op, ast.Pow | ast.Sub)


def _still_scaled(scaled: Step, line: int, unit: str) -> Slip:
    name = scaled.key.partition(":")[2] or scaled.key
    return Slip(
        "two-units",
        line,
        f"The error is printed in {unit}, and is one of scaled numbers",
        f"The labels were scaled in line {scaled.line} (`{name}`). Predictions and labels are both still scaled where "
        f"they are compared, so that the number is not in {unit}. Scale both back first.",
    )


def _apart(scaled: Step, guess: Chain, truth: Chain) -> tuple[str, int] | None:
    """(what is wrong, line) where a prediction and a truth are not in one unit."""
    back = [s for s in guess.steps if s.back]
    if len(guess.steps) > 1 or len(truth.steps) > 2 or any(not s.back for s in guess.steps):
        return None
    is_scaled = [(s.key, s.back) for s in truth.steps] == [(scaled.key, False)]
    raw = not truth.steps or (len(truth.steps) == 2 and truth.steps[0].back)
    if not back:
        return ("left-out", 0) if raw else None
    if back[0].key != _way_back(scaled):
        same_kind = (back[0].key[:2] == scaled.key[:2]) if ":" in scaled.key else back[0].key in _BACK.values()
        apart = not (back[0].names & scaled.names) if scaled.names and back[0].names else not scaled.names
        return ("other", back[0].line) if raw and same_kind and apart else None
    return ("truth", 0) if is_scaled and not raw else None


def _way_back(scaled: Step) -> str:
    return _INVERSE.get(scaled.key, scaled.key)


def _slip(node: ast.expr, scaled: Step, what: str, line: int) -> Slip:
    how = {
        "left-out": "The prediction was not scaled back, and what it is compared with is in the original unit.",
        "truth": "The prediction was scaled back, and what it is compared with is still scaled.",
        "other": "The prediction is scaled back by something else, which is not the inverse.",
    }[what]
    name = scaled.key.partition(":")[2] or scaled.key
    return Slip(
        "two-units",
        line or node.lineno,
        f"`{ast.unparse(node)[:60]}` compares two units",
        f"The labels of the `fit` are scaled (line {scaled.line}, `{name}`), and so are the predictions. {how}",
    )


def chain(view: View, node: ast.expr, depth: int = _DEPTH) -> Chain:
    """How a value came about, one array in one unit after another, down to what is not followed: its root."""
    if isinstance(node, ast.Name) and depth:
        made = view.back.values(view.file, node)
        if len(made) == 1:
            return chain(view.of(made[0]), made[0].value, depth - 1)
        return Chain(root="") if made else _of_several(view, node, depth)
    if isinstance(node, ast.Call) and last_name(node.func) in PREDICTS:
        return Chain(predicted=True)
    step = _step(node)
    if step is not None and depth:
        of, found = step
        below = chain(view, of, depth - 1)
        return Chain([found, *below.steps], below.predicted, below.root)
    of_layout = inner(node)
    column = isinstance(node, ast.Subscript) and isinstance(getattr(node.slice, "value", None), str)
    if of_layout is not None and depth and not column:
        return chain(view, of_layout, depth - 1)
    if isinstance(node, ast.Call) and depth:
        values = view.results(node)
        if len(values) == 1:
            return chain(*values[0], depth - 1)
    return Chain(root=ast.unparse(node))


def _of_several(view: View, node: ast.Name, depth: int) -> Chain:
    """Of a name that is one of several results: of `train_test_split` its argument, of a function what it returns."""
    made = view.back.named(view.file, node)
    call, part = (made[0].value, made[0].part) if len(made) == 1 else (None, None)
    if not isinstance(call, ast.Call) or part is None:
        return Chain(root="" if made else node.id)
    if last_name(call.func) == "train_test_split":
        place = part[0] // 2
        return chain(view, call.args[place], depth - 1) if place < len(call.args) else Chain()
    values = view.back.part_of(call, part)
    if len(values) == 1:
        return chain(view.of(values[0]), values[0].value, depth - 1)
    name = last_name(call.func)
    return Chain(root=f"{name} {part[0]}" if name in view.back.functions else "")


def _step(node: ast.expr) -> tuple[ast.expr, Step] | None:
    """(array, change of units) of a scaler's method, a function, or arithmetic with a mean and a deviation."""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        own = dotted(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if name in ("fit_transform", "transform", "inverse_transform") and own and node.args:
            return node.args[0], Step(name == "inverse_transform", f"s:{own}", node.lineno)
        if own in ("np", "numpy", "tf", "tf.math", "math") and node.args and name in (*_INVERSE, *_BACK):
            return node.args[0], Step(name in _BACK, _BACK.get(name, name), node.lineno)
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        if isinstance(node.op, ast.Pow) and isinstance(left, ast.Constant) and left.value in (2, 10, 10.0, 2.0):
            return right, Step(True, f"{int(left.value)} **", node.lineno)  # type: ignore[arg-type]
        if isinstance(node.op, ast.Div) and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub):
            names = frozenset(names_in(left.right) | names_in(right))
            return left.left, Step(False, "z:a mean and a deviation", node.lineno, names)
        if isinstance(node.op, ast.Add) and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult):
            names = frozenset(names_in(left.right) | names_in(right))
            return left.left, Step(True, "z:a mean and a deviation", node.lineno, names)
    return None
