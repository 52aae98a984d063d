"""XD817: a maximum or minimum that is asked for NaN, in a function that XLA compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.sources.names import assigned_once, last_name, nodes_of, walk

_TESTS = frozenset({"is_nan", "is_finite"})
_REDUCED = frozenset({"reduce_max", "reduce_min"})
# What gives NaN for NaN, and so only hands it on.
_THROUGH = frozenset({"abs", "cast", "sqrt", "square", "identity", "stop_gradient", "negative", "log"})


def see(event: Event) -> Iterator[Hazard]:
    """`tf.math.is_nan(tf.reduce_max(x))`: under XLA the maximum leaves NaN out. `is_finite` may look for infinities
    only: a note, and nothing where `tf.where` chooses by it, which is how sums of exponentials are kept finite.
    """
    test = event.op.rpartition(".")[2] if isinstance(event, Call) else ""
    if not isinstance(event, Call) or not event.frame.entry.jit or test not in _TESTS or not event.node.args:
        return
    function = event.frame.function
    held = assigned_once(function.node) if function is not None else {}
    reduced = _reduced(event.node.args[0], held)
    if reduced is None or (function is not None and test == "is_finite" and _chooses(function.node, event.node, held)):
        return
    name = ast.unparse(reduced.func)
    message = f"{name} leaves NaN out under XLA on a CPU; in eager execution it gives NaN, which this line looks for."
    level = "warning" if test == "is_nan" else "note"
    yield in_frame("XD817", event.frame, event.node, message, "parity-divergence", level=level, op=event.op)


def _reduced(node: ast.expr, held: dict[str, ast.expr], far: int = 6) -> ast.Call | None:
    """The call of a maximum that a value is made of; None where its argument was looked through for NaN before."""
    if isinstance(node, ast.Name) and node.id in held and far:
        return _reduced(held[node.id], held, far - 1)
    if isinstance(node, ast.UnaryOp):
        return _reduced(node.operand, held, far)
    if not isinstance(node, ast.Call) or not node.args or not far:
        return None
    name = last_name(node.func)
    if name in _REDUCED:
        return None if _asked(node.args[0], held) else node
    return _reduced(node.args[0], held, far - 1) if name in _THROUGH else None


def _asked(node: ast.expr, held: dict[str, ast.expr]) -> bool:
    nodes = [node, *([held[node.id]] if isinstance(node, ast.Name) and node.id in held else [])]
    calls = [last_name(part.func) for one in nodes for part in nodes_of(one, ast.Call)]
    return not _TESTS.isdisjoint(calls)


def _chooses(function: ast.AST, test: ast.Call, held: dict[str, ast.expr]) -> bool:
    """Whether `tf.where` chooses by this test, or by a name that holds it."""
    names = {name for name, value in held.items() if any(part is test for part in walk(value))}
    for call in nodes_of(function, ast.Call):
        if last_name(call.func) in ("where", "where_v2", "cond") and call.args:
            inside = list(walk(call.args[0]))
            if test in inside or any(isinstance(part, ast.Name) and part.id in names for part in inside):
                return True
    return False
