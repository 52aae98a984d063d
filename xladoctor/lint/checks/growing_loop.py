"""XD818: a loop variable that grows, in a loop that XLA compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.frames import Call, Closure, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of, walk

_OPTIONS = "autograph.experimental.set_loop_options"


def see(event: Event) -> Iterator[Hazard]:
    """`shape_invariants` let a loop of a graph change the shape of what it carries; XLA has one shape for it. Only
    where the loop appends to it: a window that moves, `tf.concat([x[1:], new], 0)`, keeps its shape.
    """
    if not isinstance(event, Call) or not event.frame.entry.jit or keyword(event.node, "shape_invariants") is None:
        return
    grown = _of_options(event) if event.op == _OPTIONS else _of_body(event) if event.op == "while_loop" else ()
    for name, node in grown:
        message = (
            f"The loop appends to {name} in each turn. shape_invariants allow that in a graph; under XLA a loop "
            f"variable keeps its shape, and the compilation fails."
        )
        yield in_frame("XD818", event.frame, node, message, "loop-shape-mismatch", op="while_loop")


def _of_options(event: Call) -> Iterator[tuple[str, ast.AST]]:
    """`x = tf.concat([x, new], 0)` in the loop that has these options."""
    given = keyword(event.node, "shape_invariants")
    names = {part.id for part in nodes_of(given, ast.Name)} if given is not None else set()
    function = event.frame.function
    loops = [n for n in walk(function.node) if isinstance(n, ast.For | ast.While)] if function is not None else []
    for node in (n for loop in loops if event.node in walk(loop) for n in walk(loop)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in names and _appends(node.value, name):
                yield name, node.value


def _of_body(event: Call) -> Iterator[tuple[str, ast.AST]]:
    """What the body of a `tf.while_loop` gives in the place of one of its parameters."""
    body = event.argument(1, "body")
    target = body.target if body is not None else None
    if not isinstance(target, Closure) or target.function.module is not event.frame.module:
        return
    node = target.function.node
    names = [argument.arg for argument in node.args.args]
    held = assigned_once(node)
    results = [node.body] if isinstance(node, ast.Lambda) else [n.value for n in nodes_of(node, ast.Return)]
    for result in results:
        parts = result.elts if isinstance(result, ast.Tuple | ast.List) else []
        for name, part in zip(names, parts, strict=False):
            made = held.get(part.id, part) if isinstance(part, ast.Name) else part
            if _appends(made, name):
                yield name, made


def _appends(node: ast.expr, name: str) -> bool:
    """Whether it is a concatenation of the variable with something."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "concat":
        return False
    values = node.args[0] if node.args else keyword(node, "values")
    return isinstance(values, ast.List | ast.Tuple) and any(
        isinstance(part, ast.Name) and part.id == name for part in values.elts
    )
