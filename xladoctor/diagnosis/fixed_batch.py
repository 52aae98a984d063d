"""Models whose own inputs say how many rows a batch has: `Input(batch_shape=(8, 3))`. Their rows have places, and may
not be exchanged, left out or repeated.
"""

from __future__ import annotations

from collections.abc import Mapping

from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema


def fixed_batches(recording: Recording) -> Mapping[str, int]:
    """{model: rows of a batch}, of the models that were declared with a batch.

    A model without inputs of its own that is built by its first call has the shapes of that call: nobody declared them.
    """
    found: dict[str, int] = {}
    for event in recording.of_kind(schema.MODEL):
        size = _declared(event) if event["action"] == "build" and not event.get("by_call") else None
        if size is not None:
            found[str(event["name"])] = size
    return found


def _declared(event: Event) -> int | None:
    shapes = [spec.get("shape") for spec in event.get("inputs") or () if isinstance(spec, dict)]
    first = {shape[0] if isinstance(shape, list) and shape else None for shape in shapes}
    size = first.pop() if len(first) == 1 else None
    return size if isinstance(size, int) and size > 0 else None
