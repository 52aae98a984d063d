"""A block of a program that was recorded, and not the whole of it: what could not be seen."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_FEW = 3


def block_notes(recording: Recording) -> Iterator[str]:
    """One sentence for each thing that the recording of a block could not see; nothing of a whole program."""
    for block in recording.of_kind(schema.BLOCK):
        if block["tensorflow"]:
            yield (
                "The watch began after TensorFlow had been imported: settings that were read or written before it are "
                "not known."
            )
        if block["flags_read"]:
            yield "TensorFlow had read TF_XLA_FLAGS before the watch began."
    unseen = recording.of_kind(schema.UNSEEN)
    if unseen:
        names = ", ".join(map(_called, unseen[:_FEW])) + (" and others" if len(unseen) > _FEW else "")
        yield (
            f"Traced before the watch began, so the graph was not recorded: {names}. "
            "Begin the watch before the first call."
        )
    for end in recording.of_kind(schema.END):
        if end.get("stay"):
            yield (
                f"Other code wrapped hooks of the watch, which therefore stay and do nothing: "
                f"{', '.join(end['stay'][:_FEW])}."
            )


def _called(event: Event) -> str:
    where = location(event.get("where"))
    return f"{event['function']} (called at {where.place})" if where is not None else str(event["function"])
