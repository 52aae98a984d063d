"""Are settings written before what reads them, up to the first steps?"""

from __future__ import annotations

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict, of_findings

TITLE = "settings in the right order"

_CLASSES = frozenset({"setting-too-late", "dead-switch", "baked-in-setting", "flag-ineffective", "flag-error"})


def check(situation: Situation) -> Verdict:
    """The findings about settings of the rehearsal; which of them matter the reader must say, so they only warn."""
    found = [f for f in situation.diagnosis.findings if f.slug in _CLASSES]
    if found:
        return of_findings(found, "warn", f"{len(found)} finding{'s' if len(found) > 1 else ''}")
    events = [s for s in situation.diagnosis.settings if s.action in ("read", "write")]
    return Verdict("pass", f"{len(events)} reads and writes of settings, none too late")
