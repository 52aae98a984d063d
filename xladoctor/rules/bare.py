"""Messages without a header: if a log shows no error, a line that a rule's own pattern recognises is likely one.

Only words that a rule recognises count, and not general ones: the output of a working program is full of sentences that
look like a complaint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.rules.matching import flat

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Finding
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence

NARROW = 60
"""A line that is shorter than this was not cut by a terminal."""
_ALONE = "It stands alone: the output shows no error around it."


def with_bare(evidence: Evidence) -> Evidence:
    """The evidence with the bare messages that a rule recognises, if the log has no error."""
    log, process = evidence.log, evidence.process
    ended_well = process is not None and process.state == "exited" and process.code == 0
    if not log.bare or ended_well or any(map(_says_why, log.records)):
        return evidence
    known = tuple(told for record in log.bare if (told := _known(record)) is not None)
    return replace(evidence, log=replace(log, records=(*log.records, *known))) if known else evidence


def marked(found: Finding, evidence: Evidence) -> Finding:
    """Marks a finding that rests on bare messages alone."""
    bare = {record.where for record in evidence.log.bare}
    if not bare or not all(proof.where in bare for proof in found.evidence):
        return found
    return replace(
        found, status="untested", message=f"{found.message} {_ALONE}", details={**found.details, "bare": True}
    )


def _says_why(record: ErrorRecord) -> bool:
    """Whether a record is an error, and more than the mark of a node whose sentence a broken line cut off."""
    from xladoctor.rules import recognised

    if record.level == "warning":
        return False
    return record.exception is not None or not (record.nodes or record.op) or recognised(record) is not None


def _known(record: ErrorRecord) -> ErrorRecord | None:
    """The record whose words a rule knows: as they stand, or joined where a terminal cut a line inside a word."""
    if _is_known(record):
        return record
    lines = record.text.split("\n")
    if len(lines) < 2 or len(lines[0]) < NARROW or lines[1][:1].isspace():
        return None
    joined = replace(record, text="".join(lines))
    return joined if _is_known(joined) else None


def _is_known(record: ErrorRecord) -> bool:
    """Words in general count too where they name an op and a node, as only TensorFlow does."""
    from xladoctor.rules import OUTSIDE, all_rules

    text = flat(record.text)
    named = record.op is not None and bool(record.nodes)
    for rule in all_rules():
        if rule.level == "error" and rule.slug not in OUTSIDE:
            if rule.recognise is not None and rule.recognise(record, text):
                return True
            if named and rule.general is not None and rule.general(record, text):
                return True
    return False
