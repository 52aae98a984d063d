"""XD814: a TensorArray that has to grow, in a function that XLA compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.sources.names import keyword


def see(event: Event) -> Iterator[Hazard]:
    """`tf.TensorArray(dtype, size=0, dynamic_size=True)` that is written to: XLA keeps the first size.

    A size that is given as an expression is taken to be enough. One that is filled by `unstack` gets its size there.
    """
    if not isinstance(event, Call) or event.op != "TensorArray" or not event.frame.entry.jit:
        return
    grows = keyword(event.node, "dynamic_size")
    size = event.argument(1, "size")
    rows = 0 if size is None else size.size
    if (
        not (isinstance(grows, ast.Constant) and grows.value is True)
        or not isinstance(rows, int)
        or not _written(event)
    ):
        return
    message = (
        f"A TensorArray does not grow under XLA: it keeps its size of {rows}. A write beyond it raises no "
        f"error, and {'the result is empty' if rows == 0 else 'goes to the last row'}."
    )
    level = "warning" if rows < 2 else "note"
    details = {"size": rows}
    yield in_frame("XD814", event.frame, event.node, message, "wrong-shape-silent", level=level, details=details)


def _written(event: Call) -> bool:
    function = event.frame.function
    return function is not None and any(
        isinstance(node, ast.Attribute) and node.attr == "write" for node in ast.walk(function.node)
    )
