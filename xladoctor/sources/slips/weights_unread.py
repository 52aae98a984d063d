"""Weights and masks of rows that a program makes or is given, and that reach no loss."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.names import argument, dotted, last_name, names_in, nodes_of, parameters, parents_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns, scopes, stored, within_body

_WEIGHT = re.compile(r"(?:^|_)(?:sample_?weights?|class_?weights?|weights?|wts?|masks?|sw|valid)$")
_MADE = re.compile(r"(?:^|_)(?:sample_?weights?|class_?weights?|pixel_?weights?|loss_?weights?|row_?weights?|masks?)$")
_MADE_BY = re.compile(r"sequence_mask|not_equal|bincount|compute_(?:class|sample)_weight|\bwhere\(|!=|==|[<>]")
_LOSS = re.compile(r"loss|objective|nll|cross_?entropy|mse", re.I)
_MASKS_ITSELF = re.compile(r"mask_zero|Masking\(|\bragged\b|RaggedTensor")
_STEPS = {"train_step": ("fit", "train_on_batch"), "test_step": ("evaluate", "test_on_batch")}
_OF_KERAS = frozenset(
    {"__call__", "__init__", "build", "call", "compute_loss", "compute_mask", "compute_metrics", "get_config",
     "predict_step", "result", "test_step", "train_step", "update_state"}
)  # fmt: skip
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def weights_unread(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) for each."""
    masks_itself = any(_MASKS_ITSELF.search(ast.unparse(tree)) for tree in trees.values())
    for file, tree in trees.items():
        found = [*_of_steps(tree, trees)]
        if not masks_itself:
            found += [*_of_loops(tree), *_made_and_left(tree), *_of_arguments(tree, trees)]
        seen: set[int] = set()
        for slip in found:
            if slip.line not in seen:
                seen.add(slip.line)
                yield file, slip


def _slip(line: int, title: str, message: str) -> Slip:
    return Slip("weight-unread", line, title, message)


def _of_steps(tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[Slip]:
    """`train_step` and `compute_loss` of a model that leave out the weights which a `fit` gives."""
    for cls in nodes_of(tree, ast.ClassDef):
        methods = {m.name: m for m in cls.body if isinstance(m, FUNCTIONS)}
        for name, callers in _STEPS.items():
            step = methods.get(name)
            if step is None:
                continue
            yield from _third_of_three(step)
            given = _given(cls, trees, callers)
            if given is None:
                continue
            call, word = given
            left = _leaves_out(step)
            if left is not None:
                text = f"the `{left}` that it unpacks" if left.isidentifier() else "the third part of its data"
                yield _slip(
                    _loss_line(step) or step.lineno,
                    f"`{name}` does not use {text}: `{word}` has no effect",
                    f"Line {call.lineno} gives `{word}` to `{last_name(call.func)}`. Keras hands it to `{name}` as "
                    "weights of the rows, and the loss is computed without them.",
                )
        loss = methods.get("compute_loss")
        known = _given(cls, trees, ("fit", "train_on_batch")) if loss is not None else None
        if loss is not None and known and "sample_weight" in parameters(loss) and not _reads(loss, "sample_weight"):
            yield _slip(
                _loss_line(loss) or loss.lineno,
                f"`compute_loss` does not use its `sample_weight`: `{known[1]}` has no effect",
                f"Line {known[0].lineno} gives `{known[1]}` to `{last_name(known[0].func)}`, and the loss is computed "
                "without it.",
            )


def _third_of_three(step: _Function) -> Iterator[Slip]:
    """`x, y, weights = data`, which only data with weights can be taken apart into."""
    for target, value, line in assigns(step):
        if isinstance(target, ast.Tuple) and len(target.elts) == 3 and dotted(value) in parameters(step):
            name = last_name(target.elts[2])
            branch = any(isinstance(n, ast.If | ast.IfExp) for n in walk(step))
            if name and _WEIGHT.search(name) and not _reads(step, name) and not branch:
                yield _slip(
                    _loss_line(step) or line,
                    f"`{step.name}` does not use the `{name}` of its data",
                    f"Line {line} takes `{name}` out of each batch, and no line reads it: the rows count alike.",
                )


def _given(cls: ast.ClassDef, trees: Mapping[str, ast.Module], names: Sequence[str]) -> tuple[ast.Call, str] | None:
    """(call, keyword) of a training of such a model with weights."""
    nodes = [n for tree in trees.values() for n in walk(tree)]
    makers = {cls.name} | {f.name for f in nodes if isinstance(f, FUNCTIONS) and _makes(f, {cls.name})}
    made = {dotted(t) for tree in trees.values() for t, v, _ in assigns(tree) if _makes(v, makers)}
    others = any(isinstance(n, ast.Call) and last_name(n.func) in ("Sequential", "Model", "Functional") for n in nodes)
    for call in (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)):
        if last_name(call.func) not in names:
            continue
        of = call.func.value  # type: ignore[attr-defined]
        if dotted(of) not in made and not _makes(of, makers) and (others or dotted(of) in (None, "self")):
            continue
        for word in call.keywords:
            plain = isinstance(word.value, ast.Constant) and word.value.value is None
            if word.arg in ("class_weight", "sample_weight") and not plain:
                return call, word.arg
    return None


def _makes(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(n, ast.Call) and last_name(n.func) in names for n in walk(node))


def _leaves_out(step: _Function) -> str | None:
    """The name of the weights that a step takes out of its data and never reads; `data[2]` where it takes none."""
    given = parameters(step)
    if len(given) != 1:
        return None
    data = given[0]
    unpacks = [(t, v) for t, v, _ in assigns(step) if data in names_in(v)]
    aside = {id(n) for _, v in unpacks for n in nodes_of(v, ast.Name)}
    loads = [n for n in nodes_of(step, ast.Name) if n.id == data and isinstance(n.ctx, ast.Load) and id(n) not in aside]
    tests = {id(n) for t in walk(step) if isinstance(t, ast.If | ast.IfExp) for n in walk(t.test)}
    tests |= {id(n) for c in nodes_of(step, ast.Call) if last_name(c.func) in ("len", "isinstance") for n in walk(c)}
    if not unpacks or any(id(n) not in tests for n in loads):
        return None  # something else gets the whole
    thirds: list[str] = []
    for target, value in unpacks:
        if not isinstance(target, ast.Tuple):
            key = value.slice if isinstance(value, ast.Subscript) else None
            if not isinstance(key, ast.Constant) or key.value not in (0, 1):
                return None
        elif len(target.elts) == 3 and isinstance(target.elts[2], ast.Name):
            thirds.append(target.elts[2].id)
        elif len(target.elts) != 2 or not isinstance(value, ast.Subscript | ast.Tuple | ast.Name):
            return None
    if any(_reads(step, name) for name in thirds):
        return None
    return thirds[0] if thirds else "data[2]"


def _reads(function: ast.AST, name: str) -> bool:
    # `del mask` says that it is not used on purpose.
    return any(n.id == name and not isinstance(n.ctx, ast.Store) for n in nodes_of(function, ast.Name))


def _loss_line(scope: ast.AST) -> int | None:
    """The first line that computes a loss."""
    lines = []
    for target, value, line in assigns(scope):
        called = isinstance(value, ast.Call) and _LOSS.search(last_name(value.func))
        named = _LOSS.search(dotted(target) or "") and not isinstance(value, ast.Constant)
        lines += [line] if called or named else []
    lines += [n.lineno for n in nodes_of(scope, ast.Return) if n.value is not None and "loss" in ast.unparse(n.value)]
    return min(lines, default=None)


def _trains(scope: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Call) and last_name(n.func) in ("GradientTape", "apply_gradients", "train_on_batch")
        for n in walk(scope)
    )


def _of_loops(tree: ast.Module) -> Iterator[Slip]:
    """`for x, y, mask in rows:` around a step of a training, where nothing reads the mask."""
    steps = {f.name for f in walk(tree) if isinstance(f, FUNCTIONS) and _trains(f)}
    steps |= {f.name for f in walk(tree) if isinstance(f, FUNCTIONS) and _makes(f, steps)}
    for scope in scopes(tree):
        for loop in (n for n in within_body(scope) if isinstance(n, ast.For)):
            target = loop.target
            if isinstance(target, ast.Tuple) and isinstance(target.elts[-1], ast.Tuple):
                target = target.elts[-1]  # of `enumerate`
            names = [e.id for e in target.elts if isinstance(e, ast.Name)] if isinstance(target, ast.Tuple) else []
            left = [n for n in names[1:] if n[0] != "_" and _WEIGHT.search(n) and not _reads(scope, n)]
            inside = ast.Module(loop.body, [])
            trains = _trains(inside) or _makes(inside, steps)
            if len(names) < 3 or not left or not trains or not isinstance(target, ast.Tuple):
                continue
            line = _loss_line(inside) or _step_line(inside, names) or loop.lineno
            yield _slip(
                line,
                f"The training does not use `{left[0]}`",
                f"Line {loop.lineno} takes `{left[0]}` out of each batch, and no line reads it: the rows count as if "
                "there were none.",
            )


def _step_line(inside: ast.AST, names: Sequence[str]) -> int | None:
    """The first call that gets the rows."""
    calls = [c for c in nodes_of(inside, ast.Call) if len({last_name(a) for a in c.args} & set(names)) > 1]
    return min((c.lineno for c in calls), default=None)


def _made_and_left(tree: ast.Module) -> Iterator[Slip]:
    """`mask = tf.sequence_mask(lengths)` in a function that computes a loss, and nothing reads the mask."""
    for scope in (s for s in scopes(tree) if isinstance(s, FUNCTIONS)):
        outer = {n for s in walk(scope) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
        for statement in within_body(scope):
            if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
                continue
            target = statement.targets[0]
            name = target.id if isinstance(target, ast.Name) else ""
            if not _MADE.search(name) or name.startswith("_") or name in outer or _reads(scope, name):
                continue
            line = _loss_line(scope)
            if line is not None and line >= statement.lineno and _MADE_BY.search(ast.unparse(statement.value)):
                yield _slip(
                    line,
                    f"The loss does not use `{name}`",
                    f"Line {statement.lineno} computes `{name}`, and no line reads it: every item counts alike.",
                )


def _of_arguments(tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[Slip]:
    """A function that computes a loss and never reads its `mask`, where a caller gives one."""
    nodes = [n for t in trees.values() for n in walk(t)]
    functions = [n for n in nodes if isinstance(n, FUNCTIONS)]
    parents = parents_of(tree)
    for function in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
        if function.name in _OF_KERAS or sum(f.name == function.name for f in functions) > 1:
            continue
        line = _loss_line(function)
        if line is None and _LOSS.search(function.name):
            line = next((r.lineno for r in nodes_of(function, ast.Return) if r.value is not None), None)
        left = [p for p in parameters(function) if _WEIGHT.search(p) and not _reads(function, p)]
        left = [p for p in left if p not in stored(function)]
        if line is None or not left or (isinstance(parents.get(function), ast.ClassDef) and function.decorator_list):
            continue
        calls = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == function.name]
        if _is_handed_on(function.name, nodes, calls):
            continue
        for name in left:
            given = next((g for c in calls if (g := argument(c, function, name)) is not None and _is_value(g)), None)
            if given is not None:
                yield _slip(
                    line,
                    f"`{function.name}` does not use its `{name}`",
                    f"Line {given.lineno} gives `{ast.unparse(given)[:60]}` for it, and the loss is computed without.",
                )


def _is_value(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)


def _is_handed_on(name: str, nodes: Sequence[ast.AST], calls: Sequence[ast.Call]) -> bool:
    """Whether a function is given to something else than `tf.function`, which may ask for these parameters."""
    called = {id(c.func) for c in calls}
    wrapped = {
        id(a) for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("function", "jit") for a in n.args
    }
    return any(
        isinstance(n, ast.Name | ast.Attribute)
        and last_name(n) == name
        and isinstance(n.ctx, ast.Load)
        and id(n) not in called | wrapped
        for n in nodes
    )
