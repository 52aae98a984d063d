"""XD813: a run-time check in a function that XLA compiles, which leaves it out."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint import ops
from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.lint.values import Content


def see(event: Event) -> Iterator[Hazard]:
    """`tf.debugging.assert_*` and `check_numerics`; checks of static shapes and types run while tracing, and hold."""
    if not isinstance(event, Call) or not event.frame.entry.jit or not ops.is_check(event.op):
        return
    static = event.op.rpartition("assert_")[2].startswith(_WHILE_TRACING)
    known = all(value.all_items.content == Content.STATIC for value in event.args[:2]) and len(event.args) > 1
    if not static and not known:
        message = f"XLA leaves out tf.{event.op}: in compiled code the check never fails."
        yield in_frame("XD813", event.frame, event.node, message, "wrong-shape-silent", level="note", op=event.op)


_WHILE_TRACING = ("type", "integer", "same_float_dtype", "scalar", "rank", "shapes", "proper_iterable")
