"""No gradient reaches any variable: which calls under the tape pass none on, although the loss comes of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Location
from xladoctor.sources.files import Files, program_trees
from xladoctor.sources.flows import Flows
from xladoctor.sources.names import last_name, nodes_of, walk

SAYS = "No gradients provided for any variable"
_CUTS = frozenset(
    {
        "argmax", "argmin", "argsort", "stop_gradient", "round", "rint", "floor", "ceil", "sign", "categorical",
        "equal",
        "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "searchsorted",
        "bucketize", "numpy", "item", "histogram_fixed_width", "convert_to_numpy", "asarray", "get_value",
    }
)  # fmt: skip
_WHOLE = ("int", "bool")
_MOST = 3


def suspects(files: Files, main: str) -> tuple[Suspect, ...]:
    """The calls without a gradient that a loss of the program may come of."""
    trees = program_trees(files, [main])
    flows = Flows(trees)
    losses = [loss for tree in trees.values() for loss in _losses(tree)]
    taped = {file: _taped(tree) for file, tree in trees.items()}
    names = {name for nodes in taped.values() for node in nodes for name in _names(node)}
    found = []
    for file, tree in trees.items():
        inside = [*taped[file], *_called(trees, names, tree)]
        for call in dict.fromkeys(c for node in inside for c in nodes_of(node, ast.Call)):
            name = _cut(call)
            if name is not None and any(flows.holds(loss, flows.reached([call])) for loss in losses):
                found.append((file, call.lineno, name))
    return tuple(
        Suspect(
            Location(file, at, files.function(file, at)), files.code(file, at),
            f"{name} passes no gradient on, and the loss may depend on it.", "possible",
        )
        for file, at, name in sorted(set(found))[:_MOST]
    )  # fmt: skip


def _cut(call: ast.Call) -> str | None:
    name = last_name(call.func)
    if name in _CUTS:
        return name
    if name == "cast":
        kinds = [
            last_name(v) or str(getattr(v, "value", "")) for v in (*call.args[1:], *(k.value for k in call.keywords))
        ]
        if any(kind.lstrip("u").startswith(_WHOLE) for kind in kinds):
            return "A cast to whole numbers"
    return None


def _losses(tree: ast.Module) -> Iterator[ast.expr]:
    """What gradients are taken of."""
    for node in walk(tree):
        if (
            isinstance(node, ast.Call)
            and last_name(node.func) in ("gradient", "minimize", "compute_gradients")
            and node.args
        ):
            yield node.args[0]


def _taped(tree: ast.Module) -> list[ast.stmt]:
    """The statements under gradient tapes."""
    return [
        statement
        for node in nodes_of(tree, ast.With)
        if any("GradientTape" in ast.dump(item.context_expr) for item in node.items)
        for statement in node.body
    ]


def _names(node: ast.AST) -> Iterator[str]:
    for inner in nodes_of(node, ast.Call):
        if name := last_name(inner.func):
            yield name


def _called(trees: dict[str, ast.Module], names: set[str], tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a file that what is under a tape calls, directly or by others; `call` of a layer is one."""
    every = [n for t in trees.values() for n in nodes_of(t, ast.FunctionDef)]
    known = set(names) | {"call", "__call__"}
    while True:
        more = {name for f in every if f.name in known for name in _names(f)} - known
        if not more:
            break
        known |= more
    return [n for n in nodes_of(tree, ast.FunctionDef) if n.name in known]
