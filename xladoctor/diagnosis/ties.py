"""Compiled functions in which rounding decides: a comparison of values that are equal but for their last places.

XLA rounds in another order than plain execution. That is no fault of either, but where a comparison, a cast to whole
numbers or a step function takes the other side because of it, the results are far apart, and the program cannot count
on either.
"""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.basis import COMPARED_PLAINLY
from xladoctor.diagnosis.checked import REQUEST, compared
from xladoctor.diagnosis.facts import line
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Recording
from xladoctor.rules import by_slug

_MARGIN = Remedy(
    "leave-a-margin",
    "Use a margin for the decision in that line",
    "changes-numerics",
    "Compare with a margin of some units in the last place (`a > b + 1e-6 * scale`), or choose a threshold that no "
    "value of the data equals. Then both ways decide alike.",
)


def ties(recording: Recording) -> Iterator[Finding]:
    """A warning for each line of a compiled function that rounding made decide otherwise than plain execution does."""
    rule = by_slug("parity-divergence")
    seen: set[str] = set()
    for answer in recording.answers(REQUEST):
        told = answer.told
        node = told.get("tie") or {}
        at = line(node)
        if told.get("result") != "agrees" or not node or str(at) in seen:
            continue
        seen.add(str(at))
        capsule = answer.capsule
        name = str(compared(recording, capsule, told.get("function")).get("python_name") or capsule)
        plain, xla = (", ".join(map(str, told.get(way) or ())) for way in ("plain", "xla"))
        apart = f"{told['output']} is {plain} plainly and {xla} under XLA"
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{name}: rounding decides {node['op']} otherwise under XLA",
            message=f"On the values of a recorded call of {name}, {apart}. Only rounding makes the difference: "
                    f"{node['op']} "
            f"({node['node']}) decides by values that differ only in their last places"
            f"{f', {at}' if at is not None else ''}. Neither result is wrong, and you cannot rely on either.",
            op=node["op"], node=node["node"], location=at,
            evidence=(Proof("worker", f"{apart}; largest difference {told.get('deviation')} of the largest value; the "
                            "inputs moved by some units in the last place move them as far",
                            f"worker.jsonl, capsule {capsule}"),),
            status="confirmed", basis=COMPARED_PLAINLY, remedies=(_MARGIN,),
            details={k: told[k] for k in ("output", "deviation", "plain", "xla") if k in told}
            | {"function": name, "capsule": capsule},
        )  # fmt: skip
