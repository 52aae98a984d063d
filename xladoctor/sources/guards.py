"""Which tests of a program are about the values of its training, and not about its data."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.finiteness import Kind, NanTest, nan_tests
from xladoctor.sources.flows import Flows, Key
from xladoctor.sources.names import nodes_of, walk
from xladoctor.sources.order import runs_before

_TRAINS = frozenset(
    {"fit", "fit_generator", "evaluate", "train_on_batch", "test_on_batch", "minimize", "apply_gradients", "apply"}
)
_GRADIENTS = frozenset({"gradient", "batch_jacobian", "jacobian", "compute_gradients"})
_STEPS = frozenset({"train_step", "test_step", "compute_loss"})


@dataclass(frozen=True)
class Guard:
    """A test of a value that comes of the training; `kind` as in `NanTest`."""

    file: str
    line: int
    name: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name}"


def guards(trees: Mapping[str, ast.Module], call: tuple[str, int] | None) -> list[Guard]:
    """The tests that a NaN of the call at (file, line) may come to; of any training, where the call is not known."""
    flows = Flows(trees)
    trainings = list(_at(trees[call[0]], call[1])) if call is not None and call[0] in trees else []
    known = bool(trainings)
    calls = trainings or [c for tree in trees.values() for c in _training(tree)]
    objects = [c.func.value for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in _TRAINS]
    calls += [c for tree in trees.values() for c in _taped(tree, steps_only=known)]
    logs = [(f, "logs") for tree in trees.values() for f in _callbacks(tree)]
    reached = flows.reached(calls, objects, logs)
    return [
        Guard(file, test.line, test.name, test.kind)
        for file, tree in trees.items()
        for test in nan_tests(tree)
        if (
            _stops(test, flows, tree, trainings)
            if test.kind == "stops"
            else _concerns(test, flows, reached)
            and not (call is not None and call[0] == file and runs_before(tree, test.line, call[1]))
        )
    ]


def _concerns(test: NanTest, flows: Flows, reached: frozenset[Key]) -> bool:
    if test.kind == "order":
        return any(flows.holds(value, reached) for value in test.values)
    if not any(flows.holds(value, reached) for value in test.values):
        return False
    # Held against another loss it is a choice between them, unless a factor says how much larger is too large.
    return all(_scaled(other) or not flows.holds(other, reached) for other in test.others)


def _scaled(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


def _stops(test: NanTest, flows: Flows, tree: ast.Module, trainings: list[ast.Call]) -> bool:
    """Whether a callback is given to the training in question."""
    made = [n for n in nodes_of(tree, ast.Call) if n.lineno == test.line]
    reached = flows.reached(made)
    given = [v for c in trainings for v in (*c.args, *(k.value for k in c.keywords))]
    return not trainings or any(flows.holds(value, reached) for value in given)


def _at(tree: ast.Module, line: int) -> Iterator[ast.Call]:
    """The calls of the innermost statement at a line."""
    best: ast.stmt | None = None
    for node in walk(tree):
        inside = isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
        if inside and isinstance(node, ast.stmt) and (best is None or node.lineno >= best.lineno):
            best = node
    for node in walk(best) if best is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _training(tree: ast.Module) -> Iterator[ast.Call]:
    for node in nodes_of(tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _TRAINS:
            yield node


def _taped(tree: ast.Module, steps_only: bool) -> Iterator[ast.Call]:
    """The calls under a gradient tape, and those for its gradients; only those of a model's own step, or all."""
    for node in walk(tree):
        if steps_only and not (isinstance(node, ast.FunctionDef) and node.name in _STEPS):
            continue
        if not steps_only and not isinstance(node, ast.With | ast.FunctionDef):
            continue
        for inner in walk(node):
            if isinstance(inner, ast.With) and any("GradientTape" in ast.dump(i.context_expr) for i in inner.items):
                yield from (n for s in inner.body for n in nodes_of(s, ast.Call))
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _GRADIENTS:
                yield inner


def _callbacks(tree: ast.Module) -> Iterator[ast.AST]:
    """The functions that Keras gives the logs of a training to."""
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            named = any(a.arg == "logs" for a in (*node.args.args, *node.args.kwonlyargs))
            if named and (isinstance(node, ast.Lambda) or node.name.startswith("on_")):
                yield node
