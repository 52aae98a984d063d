"""XD804: a variable is made in a function that XLA compiles."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame


def see(event: Event) -> Iterator[Hazard]:
    """`tf.Variable(...)` that every call would make again; made the first time only, it is lifted out and works."""
    if not isinstance(event, Call) or event.op not in ("Variable", "get_variable"):
        return
    if event.frame.entry.jit and not event.frame.guarded:
        message = f"tf.{event.op} makes a variable each time that the compiled function is traced."
        yield in_frame("XD804", event.frame, event.node, message, "variable-creation", op=event.op)
