"""XD806: a tensor whose size depends on data reaches an op that cannot carry it under XLA."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint import ops
from xladoctor.lint.frames import Call, Event, Index
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.lint.values import Content
from xladoctor.sources.names import keyword

# Measured (docs/lint.md): the result has another size or other values than in plain TensorFlow, or the process dies.
_WRONG = frozenset({"ones_like", "roll", "cumsum", "cumprod", "diag", "unique", "unique_with_counts", "cholesky"})
_PRODUCTS = frozenset({"matmul", "einsum"})
_TO_SIZES = frozenset({"reshape", "ensure_shape"})


def see(event: Event) -> Iterator[Hazard]:
    """`boolean_mask`, `where`, `unique`, a mask, a run-time slice or an uneven branch that feeds such an op."""
    if isinstance(event, Index):
        yield from _from_the_end(event)
    if not isinstance(event, Call) or not event.frame.entry.jit:
        return
    grown = next((value.grown for value in event.args if value.grown), None)
    if grown is None:
        return
    if event.op in ops.FFT:
        message = (
            f"tf.{event.op} gets a tensor whose size depends on data ({grown}): XLA cannot carry it through an FFT."
        )
        yield in_frame("XD806", event.frame, event.node, message, "dynamic-dimension-unsupported", op=event.op)
    elif (event.op in _WRONG and not _along_another_axis(event)) or (event.op == "pad" and _reflects(event.node)):
        message = (
            f"tf.{event.op} gets a tensor whose size depends on data ({grown}): under XLA it gives other values or "
            "another size, without an error."
        )
        yield in_frame("XD806", event.frame, event.node, message, "wrong-shape-silent", op=event.op)
    elif event.op in _TO_SIZES and _fixed(event):
        message = (
            f"tf.{event.op} gives fixed sizes to a tensor whose size depends on data ({grown}): XLA compares them with "
            "the size before rows were left out. It refuses the right number of rows."
        )
        yield in_frame("XD806", event.frame, event.node, message, "reshape-mismatch", op=event.op)
    elif event.op in _PRODUCTS:
        message = (
            f"tf.{event.op} gets a tensor whose size depends on data ({grown}): usually right, but XLA's dynamic "
            f"padder refuses some of these products."
        )
        yield in_frame("XD806", event.frame, event.node, message, "dynamic-padder-ret-check", level="note", op=event.op)


def _from_the_end(event: Index) -> Iterator[Hazard]:
    """`masked[-1]`, `masked[-2:]`: the end under XLA is that of the padded tensor."""
    part = (
        event.node.slice.elts[0]
        if isinstance(event.node.slice, ast.Tuple) and event.node.slice.elts
        else event.node.slice
    )
    bounds = [part.lower, part.upper] if isinstance(part, ast.Slice) else [part]
    if event.frame.entry.jit and event.value.grown and event.value.tensor and any(_negative(b) for b in bounds):
        message = (
            f"Counted from the end of a tensor whose size depends on data ({event.value.grown}): under XLA that is "
            f"another element, without an error."
        )
        yield in_frame("XD806", event.frame, event.node, message, "wrong-shape-silent")


def _fixed(event: Call) -> bool:
    """Whether each size is written there, and is one that XLA knows when it compiles."""
    node = event.node.args[1] if len(event.node.args) > 1 else keyword(event.node, "shape")
    shape = event.argument(1, "shape")
    if not isinstance(node, ast.List | ast.Tuple) or shape is None or not shape.items:
        return False
    if any(isinstance(size, ast.Constant) and size.value is None for size in node.elts):
        return False
    return all(item.size != -1 and item.content <= Content.SHAPE for item in shape.items)


def _along_another_axis(event: Call) -> bool:
    """`tf.roll(masked, 1, axis=-1)`: positions along an axis whose size is fixed are right."""
    at = {"roll": 2, "cumsum": 1, "cumprod": 1}.get(event.op)
    axis = event.argument(at, "axis") if at is not None else None
    return axis is not None and axis.size != 0


def _negative(node: ast.expr | None) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _reflects(node: ast.Call) -> bool:
    words = [*node.args[2:3], *(k.value for k in node.keywords if k.arg == "mode")]
    return any(isinstance(word, ast.Constant) and str(word.value).upper() in ("REFLECT", "SYMMETRIC") for word in words)
