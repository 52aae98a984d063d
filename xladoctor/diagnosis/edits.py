"""Edits that were tried on a copy of the program, put into the finding that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from xladoctor.model.diagnosis import Change, Diagnosis, Finding, Proof, Remedy, Safety
from xladoctor.model.edits import TriedEdit
from xladoctor.recording.schema import schema

_RESULTS = ("ran", "same", "moved", "not-tried")
_TEXTS = ("file", "kind", "old", "new", "why", "diff", "said")
_IDS = ("edit", "other-edit", "third-edit")


def edits_of(document: object) -> tuple[TriedEdit, ...]:
    """The tried edits of `edits.json`; what does not fit is left out."""
    rows = document.get("edits") if isinstance(document, dict) else None
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict) or not isinstance(row.get("line"), int) or row.get("result") not in _RESULTS:
            continue
        texts = {k: v for k, v in row.items() if k in _TEXTS and isinstance(v, str)}
        if len(texts) == len(_TEXTS):
            found.append(TriedEdit(line=row["line"], result=row["result"], safe=row.get("safe") is True, **texts))
    return tuple(found)


def with_edits(diagnosis: Diagnosis, tried: Sequence[TriedEdit]) -> Diagnosis:
    """The diagnosis with the edits that run among the root's remedies; every trial is in its details."""
    root = diagnosis.root
    if root is None or not tried:
        return diagnosis
    updated = _with(root, tried)
    return diagnosis.with_finding(root, updated)


def _with(finding: Finding, tried: Sequence[TriedEdit]) -> Finding:
    ran = [edit for edit in tried if edit.result == "ran"]
    remedies = tuple(_remedy(edit, id_) for edit, id_ in zip(ran, _IDS, strict=False))
    count = f"{len(tried)} edit{'' if len(tried) == 1 else 's'} tried on a copy"
    summary = f"{count}: with {len(ran) or 'none'} of them the program runs"
    if len(ran) > 1:
        summary += "; only you know which of them is right"
    return replace(
        finding,
        remedies=(*remedies, *finding.remedies),
        evidence=(*finding.evidence, Proof("rehearsal", summary, schema.EDITS_FILE)),
        details={**finding.details, "edits": [asdict(edit) for edit in tried]},
    )


def _remedy(edit: TriedEdit, id_: str) -> Remedy:
    title = f"{edit.file}:{edit.line}: {edit.why}"
    change = Change(edit.file, edit.line, edit.old, edit.new)
    safety: Safety = "safe" if edit.safe else "changes-numerics"
    return Remedy(id_, title, safety, f"{change} Tried on a copy: {edit.said}.", "verified", change=change)
