"""A check of the program's own that two results agree, and they do not: paths that should agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.rules import by_slug

if TYPE_CHECKING:
    # A log alone should not wait for it.
    from xladoctor.recording.run import Recording

_SLUG = "parity-divergence"


def with_values_apart(diagnosis: Diagnosis, recording: Recording | None) -> Diagnosis:
    """The diagnosis; where such a check ended the run and nothing else explains it, as paths that should agree."""
    root = diagnosis.root
    values = root.details.get("apart") if root is not None and root.slug == "not-xla" else None
    if root is None or not isinstance(values, dict):
        return diagnosis
    from xladoctor.rules.recognise.values import apart

    if recording is not None and recording.raised:
        # A log is cut into records at empty lines; the recorded message is whole.
        values = next((v for e in recording.raised if (v := apart(str(e.get("message") or ""))) is not None), None)
    if values is None:
        return diagnosis
    found = _told(root, values)
    return diagnosis.with_finding(root, found)


def _told(root: Finding, values: dict[str, object]) -> Finding:
    rule = by_slug(_SLUG)
    which = f" in {values['differ']} of {values['of']} elements" if values.get("differ") is not None else ""
    by = f", by up to {values['largest']}" if values.get("largest") is not None else ""
    return replace(
        root, code=rule.code, slug=_SLUG, title=f"Two results that the program compares differ{which}{by}",
        message=f"{root.message} Which of the two is wrong, and at which step, was not tested.",
        remedies=rule.remedies,
    )  # fmt: skip
