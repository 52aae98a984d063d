"""Random numbers that are drawn again from one seed: the same noise in each step, the same change of each image."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, LOOPS, Slip

_OF_IMAGES = ("stateless_random_", "stateless_sample_distorted")
_ONCE = (
    "eval", "valid", "test", "plot", "show", "init", "build", "sample", "example", "demo", "held", "hold", "split",
    "fold",
)  # fmt: skip
"""Words of functions that may well draw the same numbers each time."""
_MAPS = frozenset({"map", "flat_map", "interleave", "vectorized_map", "map_fn"})


def same_draw(tree: ast.Module) -> Iterator[Slip]:
    """Each draw by a written seed, in a function that runs for each step or row."""
    functions = [n for n in walk(tree) if isinstance(n, FUNCTIONS)]
    yield from _anew(tree, functions)
    if not any(isinstance(n, ast.Attribute) and n.attr.startswith("stateless_") for n in walk(tree)):
        return
    fixed = _constants(tree)
    again = _again(tree, functions)
    for function in functions:
        if function.name not in again or any(word in function.name.lower() for word in _ONCE):
            continue
        given = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        for call in nodes_of(function, ast.Call):
            name, seed = last_name(call.func), keyword(call, "seed") or (call.args[1] if len(call.args) > 1 else None)
            if not name.startswith("stateless_") or seed is None or not _written(seed, fixed):
                continue
            if name.startswith(_OF_IMAGES) or (call.args and names_in(call.args[0]) & given):
                yield Slip(
                    "same-draw",
                    call.lineno,
                    f"`{name}` draws the same numbers in each call of `{function.name}`",
                    f"Its seed is always {ast.unparse(seed)[:40]}, and a stateless draw depends on nothing else. So "
                    "each step, or each row, gets the same noise, mask or change.",
                )


_GENERATORS = frozenset({"Random", "RandomState", "default_rng"})


def _anew(tree: ast.Module, functions: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> Iterator[Slip]:
    """`def draw(self): rng = default_rng(self.seed)`, which a loop calls with nothing that differs."""
    plain = {last_name(c.func) for c in _in_rounds(tree) if not c.args and not c.keywords}
    stored = [n.attr for n in walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    for function in functions:
        given = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
        if function.name not in plain or function.name.startswith("_") or given not in ([], ["self"]):
            continue
        for call in nodes_of(function, ast.Call):
            seed = call.args[0] if last_name(call.func) in _GENERATORS and call.args else None
            kept = isinstance(seed, ast.Attribute) and last_name(seed.value) == "self" and stored.count(seed.attr) == 1
            written = isinstance(seed, ast.Constant) or (isinstance(seed, ast.Name) and seed.id.isupper())
            if (kept or written) and any(isinstance(n, ast.Return) and n.value is not None for n in walk(function)):
                yield Slip(
                    "same-draw",
                    call.lineno,
                    f"`{function.name}` draws the same numbers in each call",
                    f"It makes a new generator from {ast.unparse(call.args[0])[:40]} in each call, and a loop calls it "
                    "with nothing that differs. Make the generator once, and draw from it.",
                )


def _in_rounds(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that a loop makes in each round: what it goes over is asked for once."""
    for loop in walk(tree):
        if isinstance(loop, LOOPS):
            yield from (c for part in loop.body for c in nodes_of(part, ast.Call))
        elif isinstance(loop, COMPREHENSIONS):
            yield from nodes_of(getattr(loop, "elt", None) or loop.value, ast.Call)  # type: ignore[union-attr]


def _constants(tree: ast.Module) -> set[str]:
    """The names of the module that are numbers, or lists of numbers."""
    return {
        t.id
        for n in tree.body
        if isinstance(n, ast.Assign) and _written(n.value, set())
        for t in n.targets
        if isinstance(t, ast.Name) and t.id.isupper()
    }


def _written(node: ast.expr, fixed: set[str]) -> bool:
    """Whether a value is written in the source: numbers, tuples of them, and constants made of them."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Name):
        return node.id in fixed
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts) and all(_written(e, fixed) for e in node.elts)
    if isinstance(node, ast.Call) and last_name(node.func) in ("constant", "convert_to_tensor", "stack", "array"):
        return bool(node.args) and _written(node.args[0], fixed)
    return False


def _again(tree: ast.Module, functions: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> set[str]:
    """The functions that run for each step or row: mapped, called in a loop, by such a function, or by Keras."""
    found = {f.name for f in functions if f.name in ("train_step", "call")}
    for node in walk(tree):
        if isinstance(node, (*LOOPS, *COMPREHENSIONS)):
            found |= {last_name(n.func) for n in nodes_of(node, ast.Call)}
        elif isinstance(node, ast.Call) and last_name(node.func) in _MAPS:
            found |= {last_name(n) for a in node.args for n in walk(a)}
    named = {f.name: f for f in functions}
    todo = [n for n in found if n in named]
    while todo:
        inner = {last_name(n.func) for n in nodes_of(named[todo.pop()], ast.Call)} & named.keys()
        todo += sorted(inner - found)
        found |= inner
    return found
