"""What is measured counts what it should not: padded positions, rows that were never written, and subjects that the
training knows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import around, last_name, nodes_of, operands, walk
from xladoctor.sources.slips.slip import Slip

_MEANS = ("mean", "average", "reduce_mean", "accuracy_score", "mean_squared_error", "mean_absolute_error")
_SUBJECTS = re.compile(
    r"^(?:all_?)?(?:subjects?|patients?|speakers?|persons?|people|participants?|animals?|donors?|users?|sessions?|riders?|"
    r"households?|owners?|drivers?|students?|children|cows?|dogs?)"
    r"(?:_?(?:ids?|of(?:_\w+)?|index|idx|no|number|labels?))?$",
    re.IGNORECASE,
)
_SPLITS = ("permutation", "train_test_split", "shuffle", "choice")
_ZEROS = ("zeros", "zeros_like", "empty", "full")
_BY_GROUP = (
    "isin",
    "unique",
    "GroupKFold",
    "GroupShuffleSplit",
    "LeaveOneGroupOut",
    "in1d",
    "setdiff1d",
    "StratifiedGroupKFold",
)


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls(*_MEANS):
        yield from _padded(view, call)
    for call in view.calls("sum", "reduce_sum", "count_nonzero"):
        above = view.above.get(call)
        whole = ast.unparse(above.right) if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) else ""
        if whole.endswith(".size") or "np.prod(" in whole or "tf.size(" in whole:
            yield from _padded(view, call)
    yield from _unwritten(view)
    yield from _subjects(view)


def _padded(view: View, call: ast.Call) -> Iterator[Slip]:
    """The mean of a comparison with labels that are padded, of all positions."""
    statement = view.statement(call)
    for taken in _operands(view, call):
        for name in nodes_of(taken, ast.Name):
            held = view.held(name)
            if held is None or not held.padded or statement is None or _masked(view, call, name.id):
                continue
            yield Slip(
                "padding-counted",
                statement.lineno,
                f"`{ast.unparse(call)[:60]}` counts the padded positions of `{name.id}`",
                f"The rows of `{name.id}` end in zeros that fill them up. The mean is over all positions, so that "
                "padding, which is easy to predict, counts as much as the data. Take the mean where there is data.",
            )
            return


def _operands(view: View, call: ast.Call) -> list[ast.expr]:
    """What a mean is taken of: a comparison or a difference, written there or by a name."""
    if last_name(call.func) in ("accuracy_score", "mean_squared_error", "mean_absolute_error"):
        return list(call.args[:2])
    taken = operands(call, ("np", "tf", "math"))[0]
    if isinstance(taken, ast.Name):
        made = view.back.named(view.file, taken)
        taken = made[0].value if len(made) == 1 else None
    if isinstance(taken, ast.Compare) and isinstance(taken.ops[0], ast.Eq | ast.NotEq):
        meets = not any(isinstance(e, ast.Constant) for e in (taken.left, *taken.comparators))
    else:
        meets = isinstance(taken, ast.BinOp) and isinstance(taken.op, ast.Sub | ast.Pow)
    return [taken] if meets and taken is not None else []


def _masked(view: View, call: ast.Call, name: str) -> bool:
    keywords = {k.arg for k in call.keywords} & {"where", "weights", "sample_weight", "axis"}
    statement = view.statement(call)
    text = ast.unparse(statement) if statement is not None else ""
    return bool(keywords) or bool(re.search(r"mask|weight|valid|length|pad|\[\w+ ?[>!]=? ?0\]", text, re.IGNORECASE))


def _unwritten(view: View) -> Iterator[Slip]:
    """Arrays made as zeros whose last rows no loop has filled."""
    for node in nodes_of(view.tree, ast.Assign):
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0]
        held = view.held(name)
        if held is None or not held.rest or not held.shape or _cut(view, name.id):
            continue
        found = _filled(view, node.value, name)
        if found is not None:
            yield Slip(
                "never-written",
                found,
                f"The last {held.rest} of {held.shape[0]} rows of `{name.id}` were never written",
                f"`{name.id}` was made as zeros, and this loop fills it, but not to its end: its last {held.rest} "
                "rows are zeros, and no other one is. They count in whatever is computed of it.",
            )


def _filled(view: View, value: ast.expr, name: ast.Name) -> int | None:
    """The line of the loop that fills the array that a name is given."""
    made_here = isinstance(value, ast.Call) and last_name(value.func) in _ZEROS
    if made_here:
        scope = view.scope(name)
        stores = [
            n
            for n in walk(scope)
            if isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Store)
            and isinstance(n.value, ast.Name)
            and n.value.id == name.id
        ]
        return next((line for s in stores if (line := _loop(view, s)) is not None), None)
    if not isinstance(value, ast.Call) or last_name(value.func) not in view.back.functions:
        return None
    for file, function in view.back.functions[last_name(value.func)]:
        names = [n.value.id for n in nodes_of(function, ast.Return) if isinstance(n.value, ast.Name)]
        for inner in names:
            stores = [
                n
                for n in walk(function)
                if isinstance(n, ast.Subscript)
                and isinstance(n.ctx, ast.Store)
                and isinstance(n.value, ast.Name)
                and n.value.id == inner
            ]
            if file == view.file and stores and _zeros(function, inner):
                return next((line for s in stores if (line := _loop(view, s)) is not None), None)
    return None


def _zeros(function: ast.AST, name: str) -> bool:
    for node in walk(function):
        if (
            isinstance(node, ast.Assign)
            and name in {n.id for t in node.targets for n in nodes_of(t, ast.Name)}
            and any(isinstance(n, ast.Call) and last_name(n.func) in _ZEROS for n in walk(node.value))
        ):
            return True
    return False


def _loop(view: View, node: ast.AST) -> int | None:
    nearest = next((n for n in around(node, view.above) if isinstance(n, ast.For | ast.While | ast.FunctionDef)), None)
    return nearest.lineno if isinstance(nearest, ast.For | ast.While) else None


def _cut(view: View, name: str) -> bool:
    """Whether the first rows of it are taken somewhere, as those of a buffer."""
    for node in nodes_of(view.tree, ast.Subscript):
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            part = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
            if node.value.id == name and isinstance(part, ast.Slice) and part.upper is not None and part.lower is None:
                return True
            if node.value.id == name and isinstance(part, ast.Compare):
                return True
    return False


def _subjects(view: View) -> Iterator[Slip]:
    """Rows of several subjects, dealt out one by one."""
    names = {n.id for n in nodes_of(view.tree, ast.Name) if isinstance(n.ctx, ast.Store) and _SUBJECTS.match(n.id)}
    for name in sorted(names):
        node = next(n for n in nodes_of(view.tree, ast.Name) if n.id == name)
        held = view.held(node)
        if held is None or not held.grouped or not held.shape or _by_group(view, name) or _is_embedded(view, name):
            continue
        line = _split_line(view, held.shape[0])
        if line is not None:
            yield Slip(
                "subjects-on-both-sides",
                line,
                f"Rows are split at random, and rows of one of `{name}` come to both sides",
                f"`{name}` says which rows belong together. The split deals out single rows, so that the training has "
                "rows of nearly all that it is tested on. Split the values of it, and take all rows of each.",
            )


def _is_embedded(view: View, name: str) -> bool:
    """Whether the model has a vector for each subject: it is to be asked about those that it knows."""
    stem = name.lower().rstrip("s")
    calls = [c for v in view.every() for c in v.calls("Embedding", "embedding_lookup")]
    named = [c for v in view.every() for c in v.calls("Input", "Embedding", "embedding_lookup", "predict", "fit")]
    return bool(calls) and any(stem in ast.unparse(c).lower() for c in named)


def _by_group(view: View, name: str) -> bool:
    """Whether the split is made by the groups."""
    if any(True for _ in view.calls(*(g for g in _BY_GROUP if g not in ("unique",)))):
        return True
    for node in view.loads(view.tree, name):
        above = view.above.get(node)
        if isinstance(above, ast.Compare) or (isinstance(above, ast.keyword) and above.arg == "groups"):
            return True
    return False


def _split_line(view: View, rows: int) -> int | None:
    """The line that draws an order of all rows, of which a `fit` gets the first ones."""
    for call in view.calls("fit"):
        if not call.args and not call.keywords:
            continue
        data = call.args[0] if call.args else call.keywords[0].value
        for made in view.made(data):
            for inner in (n for n in nodes_of(made.value, ast.Call) if last_name(n.func) in _SPLITS):
                count = view.number(inner.args[0]) if inner.args else None
                sizes = view.shape(inner.args[0]) if inner.args else None
                if (
                    last_name(inner.func) == "train_test_split"
                    or count == rows
                    or (sizes is not None and sizes[0] == rows)
                ):
                    return made.line
    return None
