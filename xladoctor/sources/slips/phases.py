"""Training where there should be none, and metrics that go on from one epoch to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, LOOPS, Slip, assigns

_EVALUATES = re.compile(r"eval|valid|(?:^|_)val(?:_|$)|.test(?:_|$)|predict|infer|accuracy|score(?!r)", re.IGNORECASE)
_DRAWS = re.compile(r"\bmc|_mc\b|monte.?carlo|bayes|uncertain|stochastic|epistemic|\bpasses\b|test.time", re.IGNORECASE)
"""What programs say that call a model for training on purpose, to draw several predictions."""
_NOISY = re.compile(r"\b(?:Dropout|BatchNormalization|GaussianNoise|GaussianDropout|SpatialDropout\dD|AlphaDropout)\b")
_RUNNING = re.compile(r"running|stream|cumul|so_far|total", re.IGNORECASE)
_RESETS = frozenset({"reset_state", "reset_states", "reset_metrics", "reset"})


def phases(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    text = ast.unparse(tree)
    if _NOISY.search(text) and not _DRAWS.search(text):
        yield from _training_in_evaluation(tree)
    yield from _never_reset(tree)
    yield from _pooled(tree)


def _training_in_evaluation(tree: ast.Module) -> Iterator[Slip]:
    """`model(x, training=True)` in a function that evaluates, once for each batch and under no tape."""
    taped = {id(n) for t in nodes_of(tree, ast.With) if "GradientTape" in _head(t) for n in walk(t)}
    for function in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
        if not _EVALUATES.search(function.name) or function.name.startswith("test_") or "train" in function.name:
            continue
        if any(isinstance(n, ast.Call) and id(n) in taped for n in walk(function)):
            continue
        drawn = {id(n) for loop in walk(function) if _repeats(loop) for n in walk(loop)}
        for call in (n for n in nodes_of(function, ast.Call) if id(n) not in drawn):
            training = keyword(call, "training")
            if isinstance(training, ast.Constant) and training.value is True:
                name = ast.unparse(call.func)
                yield Slip(
                    "trains-in-evaluation",
                    call.lineno,
                    f"{function.name} calls `{name}` with training=True",
                    "Dropout drops units, and batch normalisation uses the statistics of the batch and moves its own, "
                    "in what should measure the model.",
                )


def _head(node: ast.With) -> str:
    return " ".join(ast.unparse(i.context_expr) for i in node.items)


def _repeats(node: ast.AST) -> bool:
    """Whether a loop makes several passes, as for a mean over random ones."""
    if isinstance(node, ast.For):
        return isinstance(node.iter, ast.Call) and last_name(node.iter.func) == "range"
    return isinstance(node, COMPREHENSIONS)


def _never_reset(tree: ast.Module) -> Iterator[Slip]:
    """A metric that is made before the loop over epochs, and read in each of them."""
    made = {
        dotted(t): line
        for t, v, line in assigns(tree)
        if isinstance(v, ast.Call) and ("metrics." in (dotted(v.func) or ""))
    }
    reset = _reset(tree, set(made))
    made = {name: line for name, line in made.items() if name not in reset}
    inner = {id(n) for outer in walk(tree) if isinstance(outer, LOOPS) for n in _below(outer)}
    updated = {
        dotted(n.func.value)
        for n in nodes_of(tree, ast.Call)
        if isinstance(n.func, ast.Attribute) and n.func.attr == "update_state"
    }
    for outer in (n for n in nodes_of(tree, ast.For) if id(n) not in inner):
        loops = [n for n in _below(outer) if isinstance(n, LOOPS)]
        below = {id(n) for loop in loops for n in walk(loop)}
        told = set()
        for call in (n for n in walk(outer) if loops and isinstance(n, ast.Call) and id(n) not in below):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "result"):
                continue
            name = dotted(call.func.value)
            line = made.get(name)
            if name in updated and name not in told and line is not None and not outer.lineno <= line <= _end(outer):
                told.add(name)
                yield Slip(
                    "never-reset",
                    call.lineno,
                    f"`{name}` is never reset: it is the mean of all epochs so far",
                    "A metric collects until `reset_state`. In this loop each result contains all earlier rounds, and "
                    "a change from one to the next is hidden.",
                )


def _pooled(tree: ast.Module) -> Iterator[Slip]:
    """A function that updates a metric of the module or of its object and reads it, once for each of several parts."""
    nodes = list(walk(tree))
    if any(isinstance(n, ast.Attribute) and n.attr in _RESETS for n in nodes):
        return
    made = {dotted(t) for t, v, _ in assigns(tree) if isinstance(v, ast.Call) and "metrics." in (dotted(v.func) or "")}
    yield from _over_folds([n for n in nodes if isinstance(n, ast.For)], made)
    inside = {id(n): loop for loop in nodes if isinstance(loop, ast.For) for n in _below(loop)}
    for function in (n for n in nodes if isinstance(n, FUNCTIONS) and n.name not in ("result", "update_state")):
        own = {dotted(t) for t, _, _ in assigns(function)}
        several = {n.target.id: n.iter for n in nodes_of(function, ast.For) if isinstance(n.target, ast.Name)}
        calls = [n for n in nodes_of(function, ast.Call) if isinstance(n.func, ast.Attribute)]
        of = {
            name: [i for c in calls if c.func.attr == name for i in _stands_for(c.func.value, several)]  # type: ignore[attr-defined]
            for name in ("update_state", "result")
        }
        shared = (set(of["update_state"]) & set(of["result"]) & made) - own
        called = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == function.name]
        kept = [c for c in called if id(c) in inside and _starts_anew(inside[id(c)])]
        if shared and kept and not _RUNNING.search(function.name):
            line = next(c.lineno for c in calls if c.func.attr == "update_state")  # type: ignore[attr-defined]
            yield Slip(
                "never-reset",
                line,
                f"`{sorted(map(str, shared))[0]}` goes on from one call of `{function.name}` to the next",
                f"Line {kept[0].lineno} calls the function for one part after the other. A metric collects until "
                "`reset_state`, and nothing resets it: each result has the rows of all earlier parts in it.",
            )


def _over_folds(loops: list[ast.For], made: set[str | None]) -> Iterator[Slip]:
    """A metric that is made before a loop which trains a model in each round, and updated and read in it."""
    for loop in loops:
        if not _trains_its_own(loop):
            continue
        own = {dotted(t) for t, _, _ in assigns(loop)}
        calls = [n for n in _below(loop) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        read = {dotted(c.func.value) for c in calls if c.func.attr == "result"}  # type: ignore[attr-defined]
        for call in calls:
            name = dotted(call.func.value)  # type: ignore[attr-defined]
            if last_name(call.func) == "update_state" and name in (read & made) - own:
                yield Slip(
                    "never-reset",
                    call.lineno,
                    f"`{name}` goes on from one round of the loop to the next",
                    "Each round trains a model of its own and reads the metric. A metric collects until `reset_state`, "
                    "and nothing resets it: each result has the rows of all earlier rounds in it.",
                )
                break


def _trains_its_own(loop: ast.For) -> bool:
    stored = {n.id for n in _below(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    fits = [n for n in _below(loop) if isinstance(n, ast.Call) and last_name(n.func) == "fit"]
    return any(isinstance(f.func, ast.Attribute) and dotted(f.func.value) in stored for f in fits)


def _starts_anew(loop: ast.For) -> bool:
    """Whether each round is an epoch, or makes and trains a model of its own."""
    return _trains_its_own(loop) or bool(re.match(r"epochs?$|ep$|e$", ast.unparse(loop.target)))


def _stands_for(node: ast.expr, several: dict[str, ast.expr]) -> list[str | None]:
    """The name of a metric, or of all that a variable of a loop stands for."""
    over = several.get(node.id) if isinstance(node, ast.Name) else None
    return [dotted(i) for i in over.elts] if isinstance(over, ast.Tuple | ast.List) else [dotted(node)]


def _reset(tree: ast.Module, metrics: set[str | None]) -> set[str | None]:
    """Those of the metrics that the program resets; all of them where it cannot be told which."""
    loops = {n.target.id: n.iter for n in nodes_of(tree, ast.For) if isinstance(n.target, ast.Name)}
    found: set[str | None] = set()
    for node in walk(tree):
        if not (isinstance(node, ast.Attribute) and node.attr in _RESETS):
            continue
        name = dotted(node.value)
        several = loops.get(name or "")
        if name in metrics:
            found.add(name)
        elif isinstance(several, ast.Tuple | ast.List):
            found |= {dotted(item) for item in several.elts}
        else:
            return metrics
    return found


def _below(node: ast.AST) -> Iterator[ast.AST]:
    return (n for n in walk(node) if n is not node)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
