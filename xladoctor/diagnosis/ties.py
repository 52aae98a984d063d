"""Compiled functions in which rounding decides: a comparison of values that are equal but for their last places.

XLA rounds in another order than plain execution. That is no fault of either, but where a comparison, a cast to whole
numbers or a step function takes the other side because of it, the results are far apart, and the program cannot count
on either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
_LARGER = Remedy(
    "leave-a-margin",
    "Keep the numbers of that line above the smallest normal one",
    "changes-numerics",
    "XLA takes numbers below about 1.2e-38 (in float32) for zeros. Work with logarithms from the start (`tf.nn."
    "log_softmax`, `-x**2` instead of `log(exp(-x**2))`), or add a small constant before the logarithm or division.",
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
            title=f"{name}: {_decides(node)} under XLA",
            message=f"On the values of a recorded call of {name}, {apart}. {_why(node)}"
            f"{f', {at}' if at is not None else ''}. Neither result is wrong, and you cannot rely on either.",
            op=node["op"], node=node["node"], location=at,
            evidence=(Proof("worker", f"{apart}; largest difference {told.get('deviation')} of the largest value; "
                            f"{_shown(node)}",
                            f"worker.jsonl, capsule {capsule}"),),
            status="confirmed", basis=COMPARED_PLAINLY,
            remedies=(_LARGER if node.get("flushed") else _MARGIN,),
            details={k: told[k] for k in ("output", "deviation", "plain", "xla") if k in told}
            | {"function": name, "capsule": capsule},
        )  # fmt: skip


def _decides(node: Mapping[str, Any]) -> str:
    return (
        f"{node['op']} gets zeros for tiny numbers"
        if node.get("flushed")
        else f"rounding decides {node['op']} otherwise"
    )


def _why(node: Mapping[str, Any]) -> str:
    where = f"{node['op']} ({node['node']})"
    if node.get("flushed"):
        return f"XLA takes numbers below the smallest normal one for zeros, and {where} is given such numbers"
    return f"Only rounding makes the difference: {where} decides by values that differ only in their last places"


def _shown(node: Mapping[str, Any]) -> str:
    if node.get("flushed"):
        return "the op gives the same plainly once these inputs are zeros"
    return "the inputs moved by some units in the last place move them as far"
