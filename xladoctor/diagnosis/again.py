"""A failure that a worker has brought about again: the only thing that confirms what an exception says.

What fails on made-up values is evidence of nothing, unless it fails in the recorded way to the word. What fails on
made-up sizes is evidence of nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import COMPILED_AGAIN
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.evidence import ErrorRecord, LogEvidence
from xladoctor.model.ops import WorkerOp
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Event
from xladoctor.rules import OUTSIDE, by_slug
from xladoctor.rules import findings as log_findings

REQUEST = "again"
COMPILE_FAILED = "compile-failed"
_FETCH = re.compile(r"\[\[(?:\{\{node )?(?:[^\s\[\]{}]{1,200}/)?IteratorGetNext\w{0,12}(?:\}\})?\]\]")
_PAIR = re.compile(r"\[(\d+(?:,\d+){0,15})\] vs\. \[(\d+(?:,\d+){0,15})\]")
_FIRST = re.compile(r"first dimension.{0,40}? shape \[(\d+)[\d,]{0,100}\].{1,20}? shape \[(\d+)[\d,]{0,100}\]")
_FRAME = re.compile(r'^[ \t]{0,200}File ".{0,400}", line \d.*$', re.MULTILINE)
_LABEL = re.compile(r"\[\[.{0,600}?\]\]|\[Op:\w{0,400}\]", re.DOTALL)
_SHORT, _WORDS, _LONGEST = 12, 80, 300
_MOST = 4
_LARGEST = 4096


def is_evidence(op: WorkerOp, failure: Event | None) -> bool:
    """Whether an op that failed for a worker tells of the run: its inputs were recorded, or it said the same of sizes
    that were not made up.
    """
    if op.guessed:
        return False
    return not op.filled or same_words(op.message, failure) or same_conflict(op, failure)


def same_words(message: str | None, failure: Event | None) -> bool:
    """Whether the message of the run holds that of an op, sizes and all."""
    core = _core(message or "")
    return len(core) >= _SHORT and core in _flat(str((failure or {}).get("message", "")))


def same_conflict(op: WorkerOp, failure: Event | None) -> bool:
    """Whether an op met the very sizes, on the very axes, that the message of the run says do not agree.

    TensorFlow may name a later op, or one of the gradient: it runs ops as soon as their inputs are there. Shapes are
    the same for made-up values as for those of the run.
    """
    ours, theirs = _conflicts(op.message or ""), _conflicts(str((failure or {}).get("message", "")))
    return bool(ours) and ours == theirs


def _conflicts(message: str) -> set[tuple[int, int, int]]:
    """(axis, size, other size) of two printed shapes of one rank that do not broadcast, or of which the first axes must
    agree.
    """
    first = _FIRST.search(message)
    if first is not None:
        a, b = map(int, first.groups())
        return {(0, min(a, b), max(a, b))} if a != b else set()
    pair = _PAIR.search(message)
    left, right = ([int(n) for n in shape.split(",")] for shape in pair.groups()) if pair is not None else ([], [])
    if len(left) != len(right):
        return set()
    axes = enumerate(zip(left, right, strict=True))
    return {(axis, min(a, b), max(a, b)) for axis, (a, b) in axes if a != b and 1 not in (a, b)}


def is_of_data(failure: Event | None) -> bool:
    """Whether an exception came of the data that a step fetches (its pipeline, its generator): no batch was there to
    run the step on, and what the step does with a made-up one has nothing to do with it.
    """
    return _FETCH.search(str((failure or {}).get("message", ""))) is not None


def asks_for_determinism(failure: Event | None) -> bool:
    """Whether an exception speaks of determinism, which is a setting of the process and in no capsule."""
    return "determinis" in str((failure or {}).get("message", ""))


def sizes_to_try(failure: Event | None) -> list[int]:
    """The sizes that a message names: one may be the batch, where no recorded call tells it. The lines of a stack and
    the names of nodes in it are no sizes.
    """
    message = _LABEL.sub(" ", _FRAME.sub("", str((failure or {}).get("message", ""))))
    numbers = (int(n) for n in re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", message))
    return list(dict.fromkeys(n for n in numbers if 0 < n <= _LARGEST))[:_MOST]


def compiled_again(finding: Finding, answer: Mapping[str, Any] | None, plain: Iterable[WorkerAnswer]) -> Finding:
    """A finding of which XLA said the same when a worker compiled the recorded function once more. `plain` are the
    answers about the same call without XLA.
    """
    error = (answer or {}).get("error")
    if not isinstance(error, Mapping) or finding.status == "confirmed":
        return finding
    finding = refused_by_xla(finding, answer or {}, plain)
    if finding.slug in OUTSIDE:
        return finding  # that a compilation fails alike does not show that XLA has no part in it
    for other in (*findings_of(error), *([finding] if finding.slug == COMPILE_FAILED else [])):
        same_sizes = not (answer or {}).get("filled") or other.dims == finding.dims
        if other.slug == finding.slug and same_sizes and (not other.op or not finding.op or other.op == finding.op):
            first = next(iter(str(error.get("message", "")).splitlines()), "")
            how = "compiled again"
            if (answer or {}).get("deterministic"):
                how += " with enable_op_determinism (without it a worker compiled it)"
            proof = Proof("worker", f"{how}: {first}", "worker.jsonl")
            return replace(finding, status="confirmed", basis=COMPILED_AGAIN, evidence=(*finding.evidence, proof))
    return finding


def refused_by_xla(finding: Finding, answer: Mapping[str, Any], plain: Iterable[WorkerAnswer]) -> Finding:
    """A failure for which no rule has a name, as one of the compiler: a worker met the words of the run when it
    compiled the recorded call, and the same call passes without XLA.
    """
    error = answer.get("error")
    if finding.slug not in OUTSIDE or finding.level != "error" or answer.get("way") != "xla":
        return finding
    if not isinstance(error, Mapping) or not (told_in(finding, str(error.get("message", ""))) and passes(plain)):
        return finding
    said = _flat(str(error.get("message", "")).partition("[Op:")[0])[:_LONGEST]
    words = f"XLA refused to compile this function: {said.rstrip('. ')}. Without XLA the same call passes."
    return as_compile_failed(finding, words, error.get("kind"))


def as_compile_failed(finding: Finding, message: str, kind: Any) -> Finding:
    """The finding with the class of a failed compilation."""
    rule = by_slug(COMPILE_FAILED)
    return replace(
        finding,
        code=rule.code,
        slug=rule.slug,
        title=rule.title,
        message=message,
        remedies=tuple(r for r in rule.remedies if r.id != "show-lines"),
        details={**finding.details, "kind": kind},
    )


def passes(plain: Iterable[WorkerAnswer]) -> bool:
    """Whether a worker ran the recorded call without XLA, and no op failed."""
    answers = list(plain)
    return bool(answers) and all(a.is_nothing for a in answers)


def told_in(finding: Finding, message: str) -> bool:
    """Whether the output, or the recorded exception, that a finding rests on has the words of a message."""
    said = _core(message.partition("[Op:")[0])[:_WORDS]
    return len(said) >= _SHORT and any(said in _flat(p.text) for p in finding.evidence)


def findings_of(error: Mapping[str, Any]) -> Iterator[Finding]:
    """The classes of what a worker met, by the rules that read logs."""
    from io import BytesIO

    from xladoctor.logs import read_log

    text = f"Traceback (most recent call last):\n{error.get('kind')}: {error.get('message')}\n"
    records = read_log(BytesIO(text.encode("utf-8", "replace")), name="worker.jsonl").records
    plain = ErrorRecord(text=str(error.get("message", "")), exception=str(error.get("kind")), where="worker.jsonl")
    for found in (records, (plain,)):
        yield from log_findings(Evidence("worker.jsonl", log=LogEvidence(source="worker.jsonl", records=tuple(found))))


def _core(message: str) -> str:
    """What an op says, without the node that says it."""
    return _flat(message.partition("[[{{")[0].partition("[[node")[0])


def _flat(text: str) -> str:
    return " ".join(text.split())
