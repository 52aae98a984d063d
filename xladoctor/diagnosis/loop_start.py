"""A loop variable that broadcasting makes larger: the line that starts it, not the loop, has the wrong size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_source import files_of
from xladoctor.model.diagnosis import Diagnosis, Remedy
from xladoctor.recording.run import Recording

_SLUG = "loop-shape-mismatch"


def with_loop_start(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis; where a loop variable starts with a size of 1 that its first iteration broadcasts, with the line
    that starts it as the first to suspect.
    """
    root = diagnosis.root
    name = str(root.details.get("variable") or "") if root is not None and root.slug == _SLUG else ""
    raised = (root.raised_at or root.location) if root is not None else None
    if root is None or not name or raised is None or raised.line is None or not _grown(root.dims):
        return diagnosis
    files = files_of(recording)
    function = files.function(raised.file, raised.line)
    started = [n for n in files.assigned(raised.file, function or "", name) if n < raised.line]
    if not started:
        return diagnosis
    half = len(root.dims) // 2
    before, after = (", ".join(map(str, sizes)) for sizes in (root.dims[:half], root.dims[half:]))
    reason = f"It starts `{name}` as ({before}), which broadcasting in the loop makes ({after})."
    fix = Remedy(
        "start-whole", f"Start `{name}` as ({after})", "safe",
        f"Its first value must have the shape that it keeps: ({after}), not ({before}).",
    )  # fmt: skip
    own = replace(root, remedies=())  # a buffer, or a looser invariant, would keep a wrong size
    found = diagnosis.with_finding(root, own)
    return with_first_suspect(found, own, suspect_at(recording, raised.file, started[-1], reason), (fix,))


def _grown(dims: Sequence[int | None]) -> bool:
    """Whether a shape, followed by another of as many axes, differs from it only where its own size is 1."""
    half, odd = divmod(len(dims), 2)
    apart = [(a, b) for a, b in zip(dims[:half], dims[half:], strict=False) if a != b]
    return not odd and bool(apart) and all(a == 1 for a, _ in apart)
