"""What was isolated after the run, put into the findings: where a size or value arose, then the op that cannot take it.

The op is tested: with it a part of the function fails as the run did, and without it that part does not. Where the
dimension or the value comes from is read from the program that XLA was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.diagnosis.again import as_compile_failed, passes, refused_by_xla
from xladoctor.diagnosis.basis import DIED_AGAIN, ISOLATED, RAN_AGAIN
from xladoctor.diagnosis.blame import RUN_TIME
from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.forward import forward_line
from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Basis, Finding, Location, Proof
from xladoctor.model.replay import Isolation
from xladoctor.model.replay_reader import isolation_of
from xladoctor.recording.run import Recording
from xladoctor.rules import OUTSIDE, by_slug
from xladoctor.rules.matching import undecided

REQUEST = "isolation"
CRASHES = frozenset({"SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL"})
"""Signals that a process gets for what it did itself; the others are somebody's wish."""

_UNSPECIFIC = frozenset({"compile-failed", "not-xla"})
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d{1,9}) in (?P<function>\S+)")
_KINDS = {
    "argument": "an argument of the compiled function",
    "variable": "a variable",
    "random": "a random number",
    "data": "as many as its values say",
    "loop": "a value that changes from one iteration to the next",
}


@dataclass(frozen=True)
class Origin:
    """The op that made a size dynamic or a value unknown, and why in words."""

    op: str
    node: str | None
    why: str
    location: Location | None


def isolations(recording: Recording) -> Iterator[tuple[str, Isolation]]:
    """(capsule, what was isolated of it), as far as anything was."""
    for answer in recording.answers(REQUEST):
        found = isolation_of(answer.result)
        if found is not None:
            yield answer.capsule, found


def with_isolations(findings: Sequence[Finding], recording: Recording) -> tuple[Finding, ...]:
    """The findings; the one that each isolation is about has its op and line, the origin's line first."""
    shown = list(findings)
    for capsule, found in isolations(recording):
        at = next((i for i, f in enumerate(shown) if _is_about(found, f, recording)), None)
        if at is not None:
            plain = recording.answers("failing_op", capsule)
            forward = next((forward_line(s, found.node) for s in steps(recording) if s.capsule == capsule), None)
            shown[at] = _isolated(_reclassed(shown[at], found, plain), found, capsule, forward)
    return tuple(shown)


def _reclassed(finding: Finding, found: Isolation, plain: Sequence[WorkerAnswer]) -> Finding:
    """What only XLA refuses is no failure outside of XLA, whatever its words. Nor is a death in the compiler: the parts
    were compiled and not run.
    """
    if found.mode != "xla":
        return finding
    if finding.slug in RUN_TIME and found.chain and found.chain[0].what == "birth" and passes(plain):
        return _of_a_bound(finding, found)
    if _crashed(found) and found.op.startswith("TensorList") and finding.details.get("fatal"):
        return _of_a_list(finding, found)
    if _crashed(found) and finding.slug in OUTSIDE:
        signal = found.signature.op if found.signature is not None else None
        return as_compile_failed(finding, f"XLA ended the process ({signal}) when it compiled this function.", signal)
    return refused_by_xla(finding, {"way": "xla", "error": {"message": found.message}}, plain)


def _of_a_bound(finding: Finding, found: Isolation) -> Finding:
    """Sizes that do not fit under XLA alone: one of them is the bound of a size that is known only at run time."""
    rule = by_slug("dynamic-dimension-unsupported")
    carried = next((link.shape for link in reversed(found.chain) if link.what != "fails" and link.shape), "")
    bound = f"the bound of {carried}" if carried else "a bound"
    met = f"XLA took {bound} for its size, which is known only at run time; without XLA the same call passes."
    return replace(
        finding, code=rule.code, slug=rule.slug, title=rule.title, remedies=rule.remedies,
        message=f"{met} {finding.message}",
        details={**finding.details, "reclassed_from": finding.slug},
    )  # fmt: skip


def _of_a_list(finding: Finding, found: Isolation) -> Finding:
    """A fatal check of the compiler at an op of a list: it met a list of which it knows no size."""
    rule = by_slug("tensorlist-dynamic")
    return replace(
        finding, code=rule.code, slug=rule.slug, title=rule.title, remedies=rule.remedies,
        message=f"{finding.message} It reached {found.op}: the size of this list is not known when XLA compiles.",
    )  # fmt: skip


def _crashed(found: Isolation) -> bool:
    return found.signature is not None and found.signature.slug == "crashed"


def _basis(finding: Finding, found: Isolation) -> Basis | None:
    """What an isolation confirms of a finding; None where it confirms nothing.

    With XLA, parts of the function were compiled with the op and without it. Without XLA, the op failed once more; that
    counts where it said what the run said, sizes and all: its inputs may be made up. That XLA refuses an op does not
    confirm that a failure has nothing to do with XLA.
    """
    if found.mode == "xla":
        if finding.slug in OUTSIDE:
            return None
        return DIED_AGAIN if _crashed(found) else ISOLATED
    return RAN_AGAIN if not _crashed(found) and _same_words(found, finding) else None


# They hand a value on, and refuse nothing of their own.
_CARRIERS = frozenset({"Identity", "IdentityN"})


def origin_of(found: Isolation) -> Origin | None:
    """Where what the op cannot take comes from, if that is another op than itself."""
    first = found.chain[0] if found.chain else None
    if first is not None and first.what == "birth":
        return Origin(first.op, first.node, first.why or f"it makes {first.shape}", place(first.location))
    for source in found.origins:
        if source.kind in ("random", "data", "loop"):
            return Origin(source.op, source.node, _KINDS[source.kind], place(source.location))
    return None


def place(text: str | None) -> Location | None:
    """A `file:line in function` as a location."""
    found = _PLACE.fullmatch(text or "")
    return None if found is None else Location(found["file"], int(found["line"]), found["function"])


def _suspects(origin: Origin | None, at: Location | None, found: Isolation, forward: bool) -> Iterator[Suspect]:
    """The origin's line, then that of the op which cannot take it, or of the operation whose gradient it is."""
    who = f"{found.op}, a part of the gradient of this line," if forward else found.op
    if origin is not None and origin.location is not None:
        reason = f"{found.op} cannot take the result of {origin.op}: {origin.why}."
        yield Suspect(origin.location, "", reason, "likely")
        if at is not None and at != origin.location:
            yield Suspect(at, "", f"{who} cannot take it.")


def _is_about(found: Isolation, finding: Finding, recording: Recording) -> bool:
    """Whether an isolation shows the failure that a finding speaks of: of its class, or of the signal."""
    if finding.level != "error":
        return False
    slug = found.signature.slug if found.signature is not None else None
    if slug == "crashed":
        outcome = recording.outcome
        signal = found.signature.op if found.signature is not None else None
        fatal = finding.slug in (*_UNSPECIFIC, "aborted") or bool(finding.details.get("fatal"))
        return outcome is not None and outcome.signal == signal and fatal
    return finding.slug == slug or (finding.slug in _UNSPECIFIC and _same_words(found, finding))


def _same_words(found: Isolation, finding: Finding) -> bool:
    """Whether the run said what the op says."""
    said = " ".join(found.message.partition("\n")[0].split())[:80]
    return len(said) > 12 and any(said in " ".join(p.text.split()) for p in finding.evidence)


def _decided(finding: Finding) -> str:
    """The message without the causes that its text leaves open: the op in which it begins is known."""
    between, decide = finding.details.get("between"), finding.details.get("decide")
    if not isinstance(between, list) or not isinstance(decide, list):
        return finding.message
    return finding.message.replace(undecided(between, decide), "").strip()


def _names_another(finding: Finding, found: Isolation) -> bool:
    """Whether XLA's own message lists the ops that it refuses, and not the one that was isolated."""
    listed = finding.details.get("ops")
    return finding.slug == "unsupported-op" and isinstance(listed, list | tuple) and found.op not in listed


def _refused_arguments(finding: Finding, found: Isolation) -> str:
    """The arguments of the function that the isolated op takes, where XLA's message lists nothing but arguments."""
    listed = finding.details.get("ops")
    if not isinstance(listed, list | tuple) or set(listed) != {"_Arg"}:
        return ""
    taken = [str(i["tensor"]).partition(":")[0] for i in found.inputs if i.get("op") == "Placeholder"]
    return ", ".join(f"`{name}`" for name in dict.fromkeys(taken))


def _isolated(finding: Finding, found: Isolation, capsule: str, forward: Location | None) -> Finding:
    origin, asked = origin_of(found), place(found.location)
    at = forward or asked
    crashed = _crashed(found)
    verb = "ends the process" if crashed else "cannot take it" if origin is not None else "is the first op that fails"
    where = "" if at is None else f", {at}," if at == asked else f", a part of the gradient of {at},"
    fails = f"{found.op} ({found.node}){where} {verb}."
    sentence = fails
    if origin is not None:
        where = f", {origin.location}" if origin.location is not None else ""
        sentence = f"The cause is {origin.op}{where}: {origin.why}. {fails}"
    raised = asked or finding.location
    details: dict[str, Any] = {
        **finding.details,
        "isolation": {"op": found.op, "node": found.node, "mode": found.mode, "stage": found.stage,
                      "ops": found.ops, "tries": found.tries, "compilations": found.compilations},
    }  # fmt: skip
    if origin is not None:
        details["origin"] = {"op": origin.op, "node": origin.node, "why": origin.why, "location": str(origin.location)}
    first = origin.location if origin is not None and origin.location is not None else at
    if origin is None and _names_another(finding, found):
        # A part is cut where its tensors can be handed out, which may be some ops after the one that is refused.
        sentence = f"XLA compiles the function up to {found.op}, and refuses it from there on."
        first = raised = finding.location or at
        taken = _refused_arguments(finding, found)
        if taken and at is not None:
            # An argument has no line of its own: the first op that it goes into has one.
            sentence += f" {found.op}, {at}, takes the argument {taken}."
            first = at
    proof = Proof("worker", sentence, f"worker.jsonl, capsule {capsule}")
    basis = _basis(finding, found)
    return replace(
        finding,
        message=f"{_decided(finding) if origin is not None else finding.message} {sentence}",
        op=finding.op or (None if found.op in _CARRIERS else found.op),
        node=finding.node or found.node,
        layer=finding.layer or found.layer,
        location=first or finding.location,
        raised_at=raised,
        suspects=tuple(_suspects(origin, at, found, forward is not None and forward != asked)),
        evidence=(*finding.evidence, proof),
        status="confirmed" if basis is not None else finding.status,
        basis=basis or finding.basis,
        details=details,
    )
