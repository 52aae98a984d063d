"""XD807: the branches of a `tf.cond` give different numbers of rows."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint.frames import Branch, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.lint.values import Size, differ


def see(event: Event) -> Iterator[Hazard]:
    """Leading dimensions that are known and differ, in a `tf.cond` or an `if` that a tensor decides."""
    if not isinstance(event, Branch) or not event.frame.entry.jit or not differ(event.one.rows, event.other.rows):
        return
    what = f"{event.name} has" if event.name else "the result has"
    message = (
        f"After this branch {what} {_words(event.one.rows)} or {_words(event.other.rows)}: under XLA that is a "
        f"bounded dynamic size, which an FFT and other ops cannot carry."
    )
    rows = [str(event.one.rows), str(event.other.rows)]
    yield in_frame("XD807", event.frame, event.node, message, "dynamic-dimension-unsupported", details={"rows": rows})


def _words(rows: Size | None) -> str:
    if isinstance(rows, int):
        return f"{rows} row{'' if rows == 1 else 's'}"
    return f"as many rows as {rows}".replace("rows(", "").replace(")", "").replace("*", " times ")
