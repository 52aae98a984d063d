"""Two ways of one function that a switch about how chooses from, and that take an argument otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xladoctor.diagnosis.basis import CALLED_BOTH
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Recording, location
from xladoctor.rules import by_slug

REQUEST = "two-ways"
_SLUG = "parity-divergence"
_ALIGN = Remedy(
    "align-ways", "Let both ways take the argument alike", "changes-numerics",
    "Move a picture with one bright pixel by (3, 0) in both: it shows which way is wrong.",
)  # fmt: skip
_HOW = {
    "negated": "with the opposite sign",
    "swapped": "with its two components exchanged",
    "swapped-negated": "with its two components exchanged and the opposite sign",
}


def ways_apart(recording: Recording) -> Iterator[Finding]:
    """A warning for each function."""
    for answer in recording.answers(REQUEST):
        told = answer.told
        said = _said(told)
        if said is None:
            continue
        rule, name = by_slug(_SLUG), str(told["function"])
        title = f"The two ways of {name} {said}"
        yield Finding(
            code=rule.code, slug=_SLUG, level="warning", role="root", title=title,
            message=f"`{told['switch']}` in line {told['dispatch']} chooses between two ways to compute the same. "
            f"{title}: on the same arguments their results differ by {told.get('deviation', 0.0):.0%} on average. One "
            "of them is wrong, and a run with the switch in its other position gives other results.",
            location=location(told["where"]),
            evidence=(Proof("worker", title, f"{told['file']}:{told['dispatch']}"),),
            status="confirmed", basis=CALLED_BOTH, remedies=(_ALIGN,),
            details={"kind": "two-ways", "relation": told["relation"], "switch": told["switch"]},
        )  # fmt: skip


def _said(told: Mapping[str, Any]) -> str | None:
    """What is between the two ways; None where nothing is that must be a mistake."""
    relation, names = str(told["relation"]), told["parameters"]
    if relation == "scaled" and told.get("factor") is not None:
        return f"agree but for a factor of {told['factor']:.6g}"
    argument = told.get("argument")
    if relation not in _HOW or not isinstance(argument, int) or argument >= len(names):
        return None
    return f"agree only if one of them is given `{names[argument]}` {_HOW[relation]}"
