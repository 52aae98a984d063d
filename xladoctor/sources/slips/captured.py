"""Functions that are made in a loop and kept, and read the loop's variable when they are called: its last value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, names_in, nodes_of, walk, within
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, Slip, loaded, stored

_ADDS = frozenset({"append", "add", "insert", "appendleft"})
_KEEPS = frozenset({"Lambda", "LambdaCallback", "partial", "MeanMetricWrapper", "LossFunctionWrapper", "Activation"})
"""What keeps the function that it is given, and calls it again later."""
_WRAPS = frozenset({"function", "jit", "custom_gradient", "recompute_grad", "vectorize"})
"""What makes another function of the one that it is given."""


def captured(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each such function."""
    seen = set()
    for node in walk(tree):
        found: Iterator[tuple[ast.AST, set[str]]] = iter(())
        if isinstance(node, ast.For | ast.AsyncFor):
            found = _of_loop(node)
        elif isinstance(node, COMPREHENSIONS):
            found = _of_comprehension(node)
        for function, names in found:
            late = sorted(_free(function) & names)
            if late and (function.lineno, late[0]) not in seen:  # type: ignore[attr-defined]
                seen.add((function.lineno, late[0]))  # type: ignore[attr-defined]
                yield _slip(function, late)


def _slip(function: ast.AST, late: list[str]) -> Slip:
    shown = " and ".join(f"`{n}`" for n in late)
    reads = [n.lineno for n in nodes_of(function, ast.Name) if n.id in late]
    return Slip(
        "late-bound",
        function.lineno,  # type: ignore[attr-defined]
        f"All functions of this loop use the last {shown}",
        f"Each function reads {shown} when it is called (line {min(reads)}), and not when it is made. After the loop "
        f"{'it has its' if len(late) == 1 else 'they have their'} last value for all of them.",
    )


def _of_comprehension(node: ast.AST) -> Iterator[tuple[ast.AST, set[str]]]:
    names = {n for g in node.generators for n in names_in(g.target)}  # type: ignore[attr-defined]
    values = [node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
    for value in values:
        yield from ((function, names) for function in _kept(value))


def _of_loop(loop: ast.For | ast.AsyncFor) -> Iterator[tuple[ast.AST, set[str]]]:
    own = {n for statement in loop.body for n in stored(statement)}
    names = names_in(loop.target) | own
    made = {n.name: n for s in loop.body for n in walk(s) if isinstance(n, FUNCTIONS)}
    kept: list[ast.AST] = []
    for node in (n for s in loop.body for n in within(s)):
        if isinstance(node, ast.Call) and last_name(node.func) in _ADDS and isinstance(node.func, ast.Attribute):
            if (dotted(node.func.value) or "") not in own:
                kept += node.args
        elif isinstance(node, ast.Call) and last_name(node.func) in _KEEPS:
            kept.append(node)
        elif isinstance(node, ast.Assign):
            holders = [dotted(t.value) for t in node.targets if isinstance(t, ast.Subscript)]
            kept += [node.value] if holders and own.isdisjoint(h for h in holders if h) else []
    for value in kept:
        for function in _kept(value):
            yield function, names
        for name in _named(value):
            if name in made:
                yield made[name], names - {name}


def _kept(value: ast.AST) -> Iterator[ast.AST]:
    """The lambdas of an expression that outlive it: it is one, holds one, or gives one to what keeps it."""
    if isinstance(value, ast.Lambda):
        yield value
    elif isinstance(value, ast.Tuple | ast.List):
        for item in value.elts:
            yield from _kept(item)
    elif isinstance(value, ast.Dict):
        for item in value.values:
            yield from _kept(item)
    elif isinstance(value, ast.Call):
        if last_name(value.func) in (*_KEEPS, *_WRAPS):
            for item in (*value.args, *(k.value for k in value.keywords)):
                yield from _kept(item)
        elif isinstance(value.func, ast.Call):
            yield from _kept(value.func)


def _named(value: ast.AST) -> Iterator[str]:
    """The names of functions that a value is, or keeps: `step`, `tf.function(step)`."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, ast.Call) and last_name(value.func) in (*_KEEPS, *_WRAPS):
        for item in value.args:
            yield from _named(item)


def _free(function: ast.AST) -> set[str]:
    """The names that the body of a function reads from around it."""
    arguments: ast.arguments = function.args  # type: ignore[attr-defined]
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    mine = {a.arg for a in every if a is not None}
    body = function.body if isinstance(function.body, list) else [function.body]  # type: ignore[attr-defined]
    mine |= {n for part in body for n in stored(part)}
    return {n for part in body for n in loaded(part)} - mine
