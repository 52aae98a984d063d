"""XD811: constants of different float widths meet."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint.frames import Call, Event, Mix
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.lint.values import Value

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_TWO = frozenset(
    ["add", "subtract", "multiply", "divide", "pow", "maximum", "minimum", "matmul", "truediv", "squared_difference"]
)


def see(event: Event) -> Iterator[Hazard]:
    """float32 with float64 in arithmetic, and a rounded float32 constant that is widened afterwards."""
    if isinstance(event, Mix):
        yield from _mixed(event, event.one, event.other)
    elif isinstance(event, Call) and event.op in _TWO and len(event.args) > 1:
        yield from _mixed(event, event.args[0], event.args[1])
    elif isinstance(event, Call) and event.op == "cast" and event.result.width == "float64":
        source = event.args[0] if event.args else None
        if source is not None and source.tensor and source.width == "float32" and source.rounded:
            message = (
                f"A constant made float32 in {source.rounded} is cast to float64 here: it keeps the 7 digits of "
                f"float32. Give it its dtype where it is made."
            )
            yield in_frame("XD811", event.frame, event.node, message, "parity-divergence")


def _mixed(event: Mix | Call, one: Value, other: Value) -> Iterator[Hazard]:
    if one.tensor and other.tensor and one.width != other.width and {one.width, other.width} <= set(_FLOATS):
        message = f"A {one.width} and a {other.width} tensor are combined: TensorFlow refuses to mix them."
        yield in_frame("XD811", event.frame, event.node, message, "dtype-mismatch")
