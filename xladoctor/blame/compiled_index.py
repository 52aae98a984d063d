"""An index that XLA clamps or drops and plain execution refuses: the lines that made the index, or what it goes into.

Nothing failed in the run, so the failure is the one that a worker saw on its values. Its frames are those of the op in
the graph. The place of the finding stays that of the op: which of the two is wrong was not tested.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor.blame.engine import blame
from xladoctor.blame.of_run import case_of
from xladoctor.blame.words import DEPENDS, RAISED
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording
from xladoctor.recording.user_sources import sources_of

_SLUG = "index-out-of-range"
_OUTSIDE = re.compile(
    r"is not in \[0, ?\d{1,12}\)|is out of range \[0, ?\d{1,12}\)|outside the valid range of \[0, ?\d{1,12}\)"
    r"|does not index into (?:param )?shape"
)
_MOST = 4


def with_clamped_index(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with suspects at its root, where only plain execution refuses an index beyond the end."""
    root = diagnosis.root
    if root is None or root.slug != "parity-divergence" or root.details.get("kind") != "raises" or root.suspects:
        return diagnosis
    answers = (a.told for a in recording.answers("agreement") if a.capsule == root.details.get("capsule"))
    told = next((t for t in answers if t.get("result") == "diverges"), {})
    message = str(told.get("message") or "")
    if told.get("before") or _OUTSIDE.search(message) is None:
        return diagnosis
    refused = replace(root, slug=_SLUG, message=message)
    case = case_of(diagnosis.with_finding(root, refused), recording)
    if case is None:
        return diagnosis
    failure = {"exception": told.get("error"), "message": message, "frames": _frames(told["node"], recording)}
    found = blame(refused, failure, *case[2:])
    suspects = (
        [s for s in found.suspects if s.reason not in (RAISED, DEPENDS) and not _same(s.location, root.location)]
        if found
        else []
    )
    suspects = [replace(s, likeliness="possible") for s in suspects[:_MOST]]
    return diagnosis.with_finding(root, replace(root, suspects=tuple(suspects))) if suspects else diagnosis


def _frames(node: Mapping[str, Any], recording: Recording) -> list[dict[str, Any]]:
    """The program's own lines that lead to an op, the outermost first, as a recorded failure has them."""
    sources = sources_of(recording)
    lines = [frame for call in (*node.get("call_sources", ()), node.get("sources", ())) for frame in call]
    frames = [{"file": str(f), "line": n, "function": name, "user": True} for f, n, name in lines]
    return [f for f in frames if sources is not None and sources.text(Path(f["file"]))[0] is not None]


def _same(one: Any, other: Any) -> bool:
    return other is not None and (one.file, one.line) == (other.file, other.line)
