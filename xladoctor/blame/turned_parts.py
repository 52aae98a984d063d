"""A value that one line takes apart in another order than the rest of the program, where sizes do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.taken_apart import turned_partings


def of_turned_parts(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if len(set(crash.sizes)) < 2 and crash.slug not in OF_VALUES:
        return
    for one, right in turned_partings(files.trees(f for f, _ in hops), 2):
        if (one.file, one.line) in hops:
            order, other = ", ".join(one.parts), ", ".join(right.parts)
            place = f"{Path(right.file).name}:{right.line}"
            reason = f"It has `{one.of}` as `{order}`, and {place} has it as `{other}`."
            yield Candidate(one.file, one.line, 8.6, reason, None, "other", True)
