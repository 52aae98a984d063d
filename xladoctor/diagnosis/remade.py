"""Failures of which there is no graph to run: the one op is made again, from what is recorded of it.

While a graph is being made, TensorFlow tells of an op that it refuses its type, its attributes and the static shapes of
its inputs. That is all that decides, so that a worker can make the op once more. Sizes that were not known stay so.

An op that was refused when it ran is run once more on zeros, where the recording has the shapes of all that it took.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.again import findings_of
from xladoctor.diagnosis.basis import MADE_AGAIN
from xladoctor.diagnosis.facts import Step
from xladoctor.diagnosis.unfinished import Unfinished, unfinished, unfinished_in
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event

REQUEST = "remade"
_ATTRIBUTE = re.compile(r'(?<!\w)(\w{1,80})=("(?:[^"\\]|\\.)*"|\[[^\[\]]*\]|[^,\[\]]+)')
_VALUE = re.compile(r"input\[(\d+)\] = (<[^<>]*>|\[[^\[\]]*\])")
_RAN = re.compile(
    r"(?:\A|(?<=[{}])|(?=\{\{))(?:\{\{function_node [^{}]{1,300}\}\} )?([^{}]{12,20000}?) \[Op:(\w{1,80})\]"
)
"""What an op says that was refused when it ran, and its name. It is tried where a text without braces begins: tried
everywhere, it would read what follows for each character anew.
"""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_NUMBERS = re.compile(rf"[\s\[\]]*(?:{_NUMBER.pattern}[\s\[\]]*)+")


def question(step: Step) -> dict[str, Any] | None:
    """What to ask a worker about a failure, or None where not all of the op's inputs are recorded."""
    broken_off = unfinished(step)
    if broken_off is None:
        return None
    inputs = [{"shape": i["shape"], "dtype": None, "value": None} for i in broken_off.isolated["inputs"]]
    for index, shown in _VALUE.findall(broken_off.shapes_text):
        value = _value(shown)
        shape = inputs[int(index)]["shape"] if int(index) < len(inputs) else None
        if value is None or shape is None or None in shape:
            return None
        inputs[int(index)]["value"] = value
    attributes = dict(_ATTRIBUTE.findall(broken_off.attributes_text))
    return {"type": broken_off.op, "attributes": attributes, "inputs": inputs, "eager": False}


def name_of(failure: Event) -> str:
    """What an answer about a failure without a capsule is filed under."""
    return f"failure-{failure['pid']}-{failure['failure']}"


def made_again(finding: Finding, step: Step) -> Finding:
    """A finding of which TensorFlow said the same when a worker made the op once more."""
    error = _error(step)
    if error is None or finding.status == "confirmed":
        return finding
    for other in findings_of(error):
        if other.slug == finding.slug and (not other.op or not finding.op or other.op == finding.op):
            first = next(iter(str(error.get("message", "")).splitlines()), "")
            proof = Proof("worker", f"made again: {first}", "worker.jsonl")
            return replace(finding, status="confirmed", basis=MADE_AGAIN, evidence=(*finding.evidence, proof))
    return finding


def _error(step: Step) -> Mapping[str, Any] | None:
    """What TensorFlow said when the op was made again, if it is what it said in the run."""
    failure = step.failure
    if failure is None or step.capsule is not None:
        return None
    for answer in step.recording.answers(REQUEST, name_of(failure)):
        error = answer.told.get("error") if not answer.told.get("guessed") else None
        if isinstance(error, Mapping) and _is_same(error, failure, unfinished(step)):
            return error
    return None


def _is_same(error: Mapping[str, Any], failure: Event, broken_off: Unfinished | None) -> bool:
    """Whether it is the same class of error, in the same words about the same shapes."""
    classes = {failure.get("exception"), *(c.get("exception") for c in failure.get("chain") or ())}
    if error.get("kind") not in classes:
        return False
    if broken_off is None:
        ours, theirs = _RAN.search(str(error.get("message", ""))), _RAN.search(str(failure.get("message", "")))
        return ours is not None and theirs is not None and ours.groups() == theirs.groups()
    other = unfinished_in(str(error.get("message", "")))
    if other is None:
        return False
    same = (other.op, other.shapes_text) == (broken_off.op, broken_off.shapes_text)
    return same and bool(other.says) and broken_off.says.endswith(other.says)


def _value(shown: str) -> list[float] | None:
    """The numbers that TensorFlow printed of an input; None where it did not print all."""
    inner = shown[1:-1]
    if shown.startswith("["):
        # A shape: a size that is not known is -1 to whoever reads it.
        parts = [p.strip() for p in inner.split(",") if p.strip()]
        return [-1 if p == "?" else int(p) for p in parts] if all(p == "?" or p.isdigit() for p in parts) else None
    if not _NUMBERS.fullmatch(inner):
        return None
    return [float(n) if "." in n or "e" in n else int(n) for n in _NUMBER.findall(inner)]
