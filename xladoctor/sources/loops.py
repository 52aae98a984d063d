"""Loops over batches, read in the source: do they predict, or may they train?"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from xladoctor.sources.names import last_name, nodes_of, parameters, walk

_MEASURES = re.compile(
    r"accuracy|auc|confusion|corr|error|loss|mae|matrix|metric|mse|precision|r2|recall|report|rmse|score|update_state|zip"
)
_PREDICTS = ("predict", "predict_on_batch")
TRAINS = frozenset(
    {"GradientTape", "apply", "apply_gradients", "fit", "fit_generator", "gradient", "minimize", "train_on_batch"}
)

MIXED = ("permut", "random", "shuffl")
MEANT = (
    "baseline", "chance", "contrast", "control", "importance", "marginal", "mismatch", "naive", "negative", "null",
    "surrogate", *MIXED,
)  # fmt: skip
"""What the names about a line say where rows are put into another order on purpose."""


def predicts(tree: ast.Module, line: int, what: str = "", many: bool = False, counted: bool = False) -> str | None:
    """What a loop that begins at a line predicts with, if it does nothing by which weights are learnt: `predict` or
    `predict_on_batch` of a model. Where rows are "dropped", also a function or model of the program that gets what the
    loop is about and nothing else: with labels beside, a measure of most rows may be wanted. Also a model
    that is called for inference, if the labels are left alone, or are kept beside its results and `many` rows are lost;
    where all rows seem to be wanted also if they are `counted`, as by a metric.
    """
    for node in walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and node.iter.lineno <= line <= (node.iter.end_lineno or 0):
            body = _around(tree, node) if isinstance(node, ast.comprehension) else node
            called = _called(body)
            found = [name for name in _PREDICTS if name in called]
            if not found and what == "dropped" and isinstance(node.target, ast.Name):
                found = _own(tree, body, node.target.id)
            elif not found and what == "dropped" and isinstance(node.target, ast.Tuple):
                found = _without_labels(body, node.target) or (
                    _beside_labels(body, node.target, counted) if many else []
                )
            return found[-1] if found and not _trains(tree, body) else None
    return None


def _without_labels(body: ast.AST, target: ast.Tuple) -> list[str]:
    """The model that is called for inference with the rows of a loop which leaves their labels alone."""
    rows, *others = (last_name(e) for e in target.elts)
    read = {n.id for n in nodes_of(body, ast.Name) if isinstance(n.ctx, ast.Load)}
    runs = [c for c in nodes_of(body, ast.Call) if c.args and last_name(c.args[0]) == rows and _infers(c)]
    return [] if read & set(others) else [last_name(c.func) for c in runs]


def _infers(call: ast.Call) -> bool:
    return any(k.arg == "training" and getattr(k.value, "value", True) is False for k in call.keywords)


def _beside_labels(body: ast.AST, target: ast.Tuple, counted: bool) -> list[str]:
    """The model that is called for inference with the rows of a loop, where its results and the labels are kept, or
    are `counted`.
    """
    calls = list(nodes_of(body, ast.Call))
    names = [last_name(e) for e in target.elts]
    runs = [c for c in calls if c.args and last_name(c.args[0]) == names[0] and (_infers(c) or _is_model(c))]
    results, labels = _made_of(body, {id(r) for r in runs}, set()), _made_of(body, set(), {names[-1]})
    kept: list[ast.AST] = [
        c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in _KEEPERS[: 3 if counted else 2]
    ]
    kept += [n.value for n in nodes_of(body, ast.AugAssign) if counted]
    inside = {id(n) for k in kept for n in walk(k)} | {n.id for k in kept for n in nodes_of(k, ast.Name)}
    return [last_name(c.func) for c in runs if (id(c) in inside or results & inside) and labels & inside]


_KEEPERS = ("append", "extend", "update_state")


def _is_model(call: ast.Call) -> bool:
    if any(k.arg == "training" for k in call.keywords):
        return False
    return re.search(r"(?:^|_)(?:model|net|network|classifier|encoder|regressor)$", last_name(call.func)) is not None


def _made_of(body: ast.AST, calls: set[int], names: set[str]) -> set[str]:
    """The names of a loop that hold what some calls or names give, or what is made of it; the names themselves too."""
    found = set(names)
    assigned = [n for n in walk(body) if isinstance(n, ast.Assign)]
    for _ in assigned:
        made = [a for a in assigned if any(id(n) in calls or last_name(n) in found - {""} for n in walk(a.value))]
        found |= {n.id for a in made for t in a.targets for n in nodes_of(t, ast.Name)}
    return found


_TRAINING = re.compile(r"train|shuffle|augment|repeat", re.IGNORECASE)


def treats_training_apart(tree: ast.Module, line: int) -> bool:
    """Whether a function makes a batch at a line whatever it is given, but does something else for training alone:
    `if training: ds = ds.shuffle(n)`.
    """
    for function in nodes_of(tree, ast.FunctionDef):
        if function.lineno <= line <= (function.end_lineno or 0):
            asked = [n for n in walk(function) if isinstance(n, ast.If | ast.IfExp)]
            apart = {last_name(n.test) for n in asked if isinstance(n.test, ast.Name)} & set(parameters(function))
            inside = any(n.lineno <= line <= (n.end_lineno or 0) for n in asked)
            return not inside and any(_TRAINING.search(name) for name in apart)
    return False


def loop_over(use: ast.AST, above: Mapping[ast.AST, ast.AST]) -> ast.AST | None:
    """The loop or comprehension that goes through what a call gives, also through `enumerate` of it; `above`: what each
    node stands in.
    """
    below, here = use, above.get(use)
    while isinstance(here, ast.Call):
        below, here = here, above.get(here)
    if isinstance(here, ast.comprehension) and here.iter is below:
        return above.get(here)
    return here if isinstance(here, ast.For) and here.iter is below else None


def takes_rows(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop takes slices by its number of the first axis: `x[:, k : k + n]` are steps of all rows."""
    name = last_name(loop.target)
    first = later = False
    for node in walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            of = [name in {n.id for n in nodes_of(axis, ast.Name)} for axis in axes]
            first, later = first or of[:1] == [True], later or any(of[1:])
    return first or not later


def trains(tree: ast.Module, line: int) -> bool:
    """Whether weights may be learnt in a loop that begins at a line."""
    found = [n for n in walk(tree) if isinstance(n, ast.For | ast.comprehension)]
    loops = [n for n in found if n.iter.lineno <= line <= (n.iter.end_lineno or 0)]
    return any(_trains(tree, _around(tree, n) if isinstance(n, ast.comprehension) else n) for n in loops)


def beside_others(tree: ast.Module, line: int) -> str | None:
    """What a loop that begins at a line calls with the rows of a dataset, if it learns nothing, leaves their labels
    alone, and keeps the results under a name that is put beside something else by place.
    """
    found = leaves_labels(tree, line)
    if found is None:
        return None
    kept = kept_of(tree, found[0])
    return found[1] if any(beside(n, kept) for n in walk(tree)) else None


def leaves_labels(tree: ast.Module, line: int) -> tuple[ast.AST, str] | None:
    """(loop, what it calls) of a loop that begins at a line, if it learns nothing and leaves the labels alone."""
    for node in walk(tree):
        if not isinstance(node, ast.For | ast.comprehension) or not isinstance(node.target, ast.Tuple):
            continue
        if not node.iter.lineno <= line <= (node.iter.end_lineno or 0) or len(node.target.elts) < 2:
            continue
        body = _around(tree, node) if isinstance(node, ast.comprehension) else node
        rows, *others = (last_name(e) for e in node.target.elts)
        used = {n.id for n in nodes_of(body, ast.Name) if isinstance(n.ctx, ast.Load)}
        calls = [c for c in nodes_of(body, ast.Call) if rows in {n.id for a in c.args for n in nodes_of(a, ast.Name)}]
        if used & set(others) or not calls or _trains(tree, body):
            return None
        return body, last_name(calls[-1].func)
    return None


def kept_of(tree: ast.AST, body: ast.AST) -> set[str]:
    """The names under which the results of a loop are kept, and what is made of them alone."""
    names = {last_name(c.func.value) for c in nodes_of(body, ast.Call)
             if isinstance(c.func, ast.Attribute) and c.func.attr in ("append", "extend")}  # fmt: skip
    inside = {id(n) for n in walk(body)}
    for assign in sorted(nodes_of(tree, ast.Assign), key=lambda n: n.lineno):
        of = {n.id for n in nodes_of(assign.value, ast.Name)}
        if any(id(n) in inside for n in walk(assign.value)) or of & names:
            names |= {t.id for t in assign.targets if isinstance(t, ast.Name)}
    return names - {""}


def beside(node: ast.AST, kept: set[str]) -> bool:
    """Whether results meet something that was not made of them: in a comparison, a distance, or a measure."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        parts = _difference(node.left)
    elif isinstance(node, ast.Call) and last_name(node.func) in ("abs", "absolute", "square") and node.args:
        parts = _difference(node.args[0])
    elif isinstance(node, ast.Call) and 2 <= len(node.args) <= 3 and _MEASURES.search(last_name(node.func)):
        parts = node.args
    plain = [p for p in parts if isinstance(p, ast.Name | ast.Subscript | ast.Attribute)]
    of = [bool({n.id for n in nodes_of(p, ast.Name)} & kept) for p in plain]
    return any(of) and not all(of)


def _difference(node: ast.expr) -> list[ast.expr]:
    return [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) else []


def _own(tree: ast.Module, body: ast.AST, batch: str) -> list[str]:
    """The functions of the program, or models, that are called with a batch alone and learn nothing."""
    own = {n.name: n for n in nodes_of(tree, ast.FunctionDef)}
    classes = {n.name for n in nodes_of(tree, ast.ClassDef)}
    made = {
        last_name(t)
        for n in nodes_of(tree, ast.Assign)
        if isinstance(n.value, ast.Call)
        for t in n.targets
        if last_name(n.value.func)
        in {"Sequential", "Model", "load_model", *classes} | {f for f in own if _builds(own[f])}
    }
    found = []
    for call in nodes_of(body, ast.Call):
        name = last_name(call.func)
        given = {n.id for a in call.args for n in nodes_of(a, ast.Name)}
        function = own.get(name)
        runs = function is not None and (_called(function) & made or given & made)
        if batch in given and (runs or name in made):
            found.append(name)
    return found


def _trains(tree: ast.Module, body: ast.AST) -> bool:
    """Whether weights may be learnt in a body, or in the functions of the program that it calls."""
    own = {n.name: n for n in nodes_of(tree, ast.FunctionDef)}
    todo: list[ast.AST] = [body]
    seen: set[str] = set()
    while todo:
        called = _called(todo.pop())
        if called & (TRAINS - set(own)):
            return True
        todo += [own[name] for name in called & set(own) - seen]
        seen |= called
    return False


def _builds(function: ast.FunctionDef) -> bool:
    """Whether a function returns a model of Keras."""
    return bool(_called(function) & {"Sequential", "Model", "Functional"})


def unconditional(tree: ast.Module, line: int, method: str) -> bool:
    """Whether a method is called at a line of a function whatever the function is given: under no `if`, and with no
    parameter as its first argument.
    """
    for function in nodes_of(tree, ast.FunctionDef):
        if not function.lineno <= line <= (function.end_lineno or 0):
            continue
        given = parameters(function)
        branches = (n for n in walk(function) if isinstance(n, ast.If | ast.IfExp | ast.Match | ast.BoolOp))
        if any(n.lineno <= line <= (n.end_lineno or 0) for n in branches):
            return False
        calls = [n for n in nodes_of(function, ast.Call) if last_name(n.func) == method]
        first = [a for c in calls for a in (*c.args[:1], *(k.value for k in c.keywords if k.arg != "seed"))]
        return bool(calls) and not any(isinstance(a, ast.Name) and a.id in given for a in first)
    return False


def _around(tree: ast.Module, inner: ast.comprehension) -> ast.AST:
    """The list, set, or generator that a `for` in it belongs to."""
    for node in walk(tree):
        if inner in getattr(node, "generators", ()):
            return node
    return inner


def _called(node: ast.AST) -> set[str]:
    calls = (n.func for n in nodes_of(node, ast.Call))
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in calls if isinstance(f, ast.Attribute | ast.Name)}
