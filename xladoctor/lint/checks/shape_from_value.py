"""XD805: an argument that sets a shape comes from values that XLA does not know when it compiles, or bakes in."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint import ops
from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.lint.values import Content

# Of the size of a tensor whose size depends on data, these refuse it, and those take it for its bound (docs/lint.md).
_REFUSE_SIZE = frozenset({"one_hot", "linspace", "scatter_nd"})
_MISTAKE_SIZE = frozenset({"tile", "eye"})


def see(event: Event) -> Iterator[Hazard]:
    """Shape arguments from random numbers, loop variables, `tf.where`, or from the values of arguments."""
    if not isinstance(event, Call) or not event.frame.entry.jit:
        return
    for position, name in ops.SHAPE_ARGUMENTS.get(event.op, ()):
        given = event.argument(position, name)
        if given is None:
            continue
        value = given.all_items
        said = f"`{name}` of tf.{event.op} comes from {value.origin}"
        if value.content == Content.RUNTIME:
            message = f"{said}, but XLA must know it when it compiles."
            yield in_frame("XD805", event.frame, event.node, message, "compile-time-constant", op=event.op)
        elif value.content == Content.SIZE and event.op in _REFUSE_SIZE:
            message = f"{said}: the size depends on data, but XLA needs a constant."
            yield in_frame("XD805", event.frame, event.node, message, "compile-time-constant", op=event.op)
        elif value.content == Content.SIZE and event.op in _MISTAKE_SIZE:
            message = f"{said}: XLA gives a result of another size than eager execution, without an error."
            yield in_frame("XD805", event.frame, event.node, message, "wrong-shape-silent", op=event.op)
        elif value.content == Content.ARGUMENT and value.tensor is not False:
            message = f"{said}: its value is compiled in, and each new value compiles again."
            yield in_frame("XD805", event.frame, event.node, message, "value-baked-in", level="note", op=event.op)
        else:
            continue
        return
