"""Are settings written before what reads them, up to the first steps?"""

from __future__ import annotations

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict, of_findings

TITLE = "settings in the right order"
ORDER = 50

_IN_VAIN = frozenset({"setting-too-late", "baked-in-setting"})
_CLASSES = _IN_VAIN | {"dead-switch", "flag-ineffective", "flag-error"}


def check(situation: Situation) -> Verdict:
    """The findings about settings of the rehearsal. One that is written in vain is a no-go: the study would not be the
    one that its settings describe. Of the others the reader must say whether they matter.
    """
    found = [f for f in situation.diagnosis.findings if f.slug in _CLASSES]
    in_vain = [f for f in found if f.slug in _IN_VAIN and f.status == "confirmed"]
    if found:
        first = [*in_vain, *(f for f in found if f not in in_vain)]
        return of_findings(first, "fail" if in_vain else "warn", f"{len(found)} finding{'s' if len(found) > 1 else ''}")
    events = [s for s in situation.diagnosis.settings if s.action in ("read", "write")]
    return Verdict("pass", f"{len(events)} reads and writes of settings, none too late")
