"""XD803: an op that has no XLA kernel, in a function that XLA compiles."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint import ops
from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame


def see(event: Event) -> Iterator[Hazard]:
    """`tf.print`, `tf.py_function`, string ops and their likes."""
    if not isinstance(event, Call) or not event.frame.entry.jit:
        return
    made = ops.host_op(event.op)
    if made is not None:
        message = f"tf.{event.op} makes an op that XLA cannot compile ({made})."
        yield in_frame("XD803", event.frame, event.node, message, "unsupported-op", op=event.op)
