"""XD816: a root or reciprocal of zero that `tf.where` or a mask takes away, and whose gradient XLA makes NaN."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.lint.frames import Call, Event, Frame
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of

# Those whose gradient kernel gives 0 where the incoming gradient is 0 (measured, docs/lint.md); a logarithm or a
# division gives NaN in every mode.
_ROOTS = frozenset({"sqrt", "rsqrt", "reciprocal"})
_MASKS = frozenset({"where", "boolean_mask"})
_NOT_ZERO: Mapping[type[ast.cmpop], bool] = {ast.Gt: True, ast.NotEq: True, ast.LtE: False, ast.Eq: False}
_CALLS = {"greater": True, "not_equal": True, "less_equal": False, "equal": False}
_BOUNDS = frozenset({"maximum", "clip_by_value", "where", "fill", "ones", "ones_like", "stop_gradient"})
_EPSILON = re.compile(r"eps|tiny|^[A-Z]")
_GRADIENTS = frozenset({"GradientTape", "gradients", "fit"})


def see(event: Event) -> Iterator[Hazard]:
    """`tf.where(d > 0, tf.sqrt(d), 0.0)`: the comparison says that `d` can be zero. An inner `tf.where`, a maximum or a
    constant that is added keeps it from zero. Only where the file or the entry takes gradients.
    """
    if not isinstance(event, Call) or not event.frame.entry.jit or event.op not in _MASKS:
        return
    root = _root(event) if _trains(event.frame) else None
    if root is not None:
        name = ast.unparse(root.func)
        message = (
            f"Where {ast.unparse(root.args[0])} is zero, the gradient of {name} is NaN under XLA, and 0 in eager "
            f"execution: tf.{event.op} does not keep it from the gradient."
        )
        yield in_frame("XD816", event.frame, root, message, "not-finite", level="note", op=event.op)


def _root(event: Call) -> ast.Call | None:
    """The call of a root in what is kept where its argument is not zero."""
    given = [*event.node.args]
    names = ("condition", "x", "y") if event.op == "where" else ("tensor", "mask")
    parts = [part for n in names[len(given) :] if (part := keyword(event.node, n)) is not None]
    given += parts
    if event.op == "boolean_mask" and len(given) == 2:
        given = [given[1], given[0], given[0]]
    if len(given) != 3 or any(isinstance(part, ast.Starred) for part in given):
        return None
    function = event.frame.function
    held = assigned_once(function.node) if function is not None else {}
    compared = _compared(_meant(given[0], held))
    if compared is None or _bounded(_meant(compared[0], held)):
        return None
    kept = _meant(given[1 if compared[1] else 2], held)
    calls = [node for node in nodes_of(kept, ast.Call) if node.args]
    if any(last_name(call.func) == "stop_gradient" for call in calls):
        return None
    for call in calls:
        full = (event.frame.module.full(call.func) or "").removeprefix("tensorflow.")
        if full in _ROOTS and ast.dump(call.args[0]) == ast.dump(compared[0]):
            return call
    return None


def _compared(node: ast.expr) -> tuple[ast.expr, bool] | None:
    """What is compared with zero, and whether it is not zero where the comparison holds."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _NOT_ZERO:
        return (node.left, _NOT_ZERO[type(node.ops[0])]) if _is_zero(node.comparators[0]) else None
    if isinstance(node, ast.Call) and len(node.args) == 2 and last_name(node.func) in _CALLS:
        return (node.args[0], _CALLS[last_name(node.func)]) if _is_zero(node.args[1]) else None
    return None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0) and not isinstance(node.value, bool)


def _bounded(node: ast.expr) -> bool:
    """Whether a value is kept from zero, or from gradients, where it is made."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in _BOUNDS
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else ()
    return any(isinstance(side, ast.Constant) or _EPSILON.search(last_name(side)) is not None for side in sides)


def _meant(node: ast.expr, held: Mapping[str, ast.expr]) -> ast.expr:
    return held.get(node.id, node) if isinstance(node, ast.Name) else node


def _trains(frame: Frame) -> bool:
    """Whether gradients are taken: in the file of the entry or in this one, or by Keras."""
    if frame.entry.why.startswith("Keras"):
        return True
    modules = (frame.module, frame.entry.function.module)
    return any(last_name(call.func) in _GRADIENTS for module in modules for call, _ in module.calls)
