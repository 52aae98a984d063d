"""What came of trying remedies (`replay --verify`, `scan --verify`), put into the findings that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.model import Diagnosis, Finding, Proof, Remedy, Result, Safety

NOT_TRIED = {
    "dont-reindex": "it is advice against a change of the program",
    "mend-birth": "it is a change of the program's code",
    "remove-reindex": "it is a change of the program's code",
    "fix-first-violation": "it is a change of the program's code",
    "explicit-axes": "it is a change of the program's code",
    "same-result": "it is a change of the program's code",
    "static-size": "it is a change of the program's code (what is tried is the size of the batch alone)",
    "constant-size": "it is a change of the program's code",
    "unroll": "it is a change of the program's code",
    "preallocate": "it is a change of the program's code",
    "shape-invariants": "it is a change of the program's code",
    "fixed-size": "it is a change of the program's code",
    "maximum-iterations": "it is a change of the program's code",
    "stack-inside": "it is a change of the program's code",
    "create-outside": "it is a change of the program's code",
    "crop-or-pad": "it is a change of the program's code",
    "check-shape": "it shows something and cures nothing",
    "show-lines": "it shows something and cures nothing",
    "trace-shapes": "it shows something and cures nothing",
    "run-eagerly": "it shows something and cures nothing",
    "compare-paths": "it shows something and cures nothing: xladoctor replay --parity",
    "assert-rows": "it shows something and cures nothing",
    "set-earlier": "the command would have to be run again; of a callable xladoctor replay --verify tries it",
    "rebuild": "the command would have to be run again; of a callable xladoctor replay --verify tries it",
    "memory-growth": "it concerns the device, and workers run on the processor",
    "place-on-cpu": "it concerns the device, and workers run on the processor",
    "install-cuda-tree": "it changes the machine",
    "install-ptxas": "it changes the machine",
}
"""{remedy of a rule: why it cannot be tried}"""

_SAME = {"remove-op": "move-outside"}
"""Remedies of rules that are tried as another one."""
_OF_ITS_OWN = {"static-size": "static-batch"}
"""Trials that are not what the rules' remedy of this name says: any axis may be the one that needs a size."""
_TRIED = ("cured", "another failure", "no effect", "worse")
_NOT_KNOWN = ("not applicable", "unverified")


def with_tested(diagnosis: Diagnosis, replays: Sequence[Mapping[str, Any]]) -> Diagnosis:
    """The diagnosis with the results of the newest replay that tried remedies; without one, as it is.

    They were tried on the call that the root is about, so they stand with the root. What a rule does not name is added
    to its remedies; what cannot be tried stays untested, with the reason in `details["untested"]`.
    """
    newest = next((r for r in reversed(replays) if r.get("remedies")), None)
    root = diagnosis.root
    if newest is None or root is None:
        return diagnosis
    trials = [_named(t) for t in newest["remedies"] if isinstance(t, Mapping)]
    tried = [t for t in trials if t.get("result") in _TRIED]
    refused = [t for t in trials if t.get("result") in _NOT_KNOWN]
    changed = _with(root, tried, refused, str(newest.get("folder") or "replay.json"))
    findings = tuple(changed if f is root else f for f in diagnosis.findings)
    return replace(diagnosis, findings=findings)


def _with(
    finding: Finding, tried: Sequence[Mapping[str, Any]], refused: Sequence[Mapping[str, Any]], folder: str
) -> Finding:
    by_id = {str(t.get("remedy")): t for t in reversed(tried)}
    by_id |= {other: by_id[known] for other, known in _SAME.items() if known in by_id}
    why = {str(t.get("remedy")): str(t.get("message")) for t in refused}
    known = {r.id for r in finding.remedies}
    remedies = [_remedy(r, by_id[r.id]) if r.id in by_id else r for r in finding.remedies]
    known |= {same for other, same in _SAME.items() if other in known}
    remedies += [_new(t) for t in tried if str(t.get("remedy")) not in known]
    untested = {
        r.id: why.get(r.id) or NOT_TRIED.get(r.id, "nothing of it can be tried on a recorded step")
        for r in finding.remedies
        if r.id not in by_id
    }
    cured = [str(t.get("title")) for t in tried if _result(t) == "verified"]
    text = f"{len(tried)} remedies were tried: " + (f"{', '.join(cured)} cured it" if cured else "none cured it")
    # What is verified is what a reader wants to see first.
    remedies.sort(key=lambda r: {"verified": 0, "untested": 1, "failed": 2}[r.result])
    return replace(
        finding,
        remedies=tuple(remedies),
        evidence=(*finding.evidence, Proof("worker", text, folder)),
        details={**finding.details, "untested": untested} if untested else finding.details,
    )


def _named(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """A trial under the name that it has in a diagnosis."""
    name = str(told.get("remedy"))
    return {**told, "remedy": _OF_ITS_OWN.get(name, name)}


def _remedy(remedy: Remedy, told: Mapping[str, Any]) -> Remedy:
    return replace(
        remedy,
        result=_result(told),
        safety=_safety(told, remedy.safety),
        how=f"{remedy.how} {_came(told)}",
        deviation=_number(told.get("deviation")),
        speed_ratio=_number(told.get("speed_ratio")),
    )


def _new(told: Mapping[str, Any]) -> Remedy:
    how = str(told.get("how") or "")
    return Remedy(
        id=str(told.get("remedy")),
        title=str(told.get("title")),
        safety=_safety(told, "risky"),
        how=f"{how[:1].upper()}{how[1:]}. {_came(told)}",
        result=_result(told),
        deviation=_number(told.get("deviation")),
        speed_ratio=_number(told.get("speed_ratio")),
    )


def _came(told: Mapping[str, Any]) -> str:
    """What came of it, for the reader."""
    said = "Tried: it cures." if _result(told) == "verified" else f"Tried: {told.get('result')}."
    if told.get("changes_numerics") and told.get("result") == "cured":
        said = "Tried: no error any more, but"
    message = str(told.get("message") or "").strip().split("\n")[0]
    return f"{said} {message}".strip()


def _result(told: Mapping[str, Any]) -> Result:
    return "verified" if told.get("result") == "cured" and not told.get("changes_numerics") else "failed"


def _safety(told: Mapping[str, Any], otherwise: Safety) -> Safety:
    if told.get("changes_numerics"):
        return "changes-numerics"
    for known in ("safe", "slower", "changes-numerics", "risky"):
        if told.get("safety") == known:
            return known
    return otherwise


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
