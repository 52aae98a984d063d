"""Where a finding points, for formats that readers open a file from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xladoctor.model.diagnosis import Finding, Location, Proof

_WHERE = re.compile(r"^(.{1,4096}):(\d{1,9})$", re.DOTALL)


def looked_up(proof: Proof) -> Location | None:
    """The file and line that a piece of evidence names (`train.log:214`), if it names one."""
    found = _WHERE.match(proof.where or "")
    # A log's address `train.log.gz!member:3` and the like are names too: they are kept as they stand.
    return Location(found[1], int(found[2])) if found and int(found[2]) > 0 else None


def shown(finding: Finding) -> Location | None:
    """The user's line, or else the line of the log that says it."""
    return finding.location or next(evidence_places(finding), None)


def evidence_places(finding: Finding) -> Iterator[Location]:
    """The places of the evidence, each once."""
    seen = set()
    for proof in finding.evidence:
        place = looked_up(proof)
        if place and place not in seen:
            seen.add(place)
            yield place


def line_of(location: Location) -> int | None:
    """The line as a number from 1 on, or None: what comes from elsewhere may hold anything."""
    line = location.line
    return line if isinstance(line, int) and not isinstance(line, bool) and 0 < line < 2**31 else None
