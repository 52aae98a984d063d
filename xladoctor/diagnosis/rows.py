"""Which rows met which in the steps of a run that ended well: what a worker found, as findings and as what was checked.

An outer product of two axes of rows, groups of rows in two orders and predictions without rows are confirmed: a worker
changed single rows and saw what moved. Rows that are mixed on purpose are no finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.diagnosis.basis import NOT_TESTED, RECORDED_MEETING, ROWS_CHANGED
from xladoctor.diagnosis.facts import defined, line
from xladoctor.diagnosis.fixed_batch import fixed_batches
from xladoctor.diagnosis.lookup import calls_around
from xladoctor.diagnosis.meeting_words import REMEDIES, made_by, proof, words
from xladoctor.diagnosis.own_gradients import own_gradients
from xladoctor.diagnosis.pooled import mixed_rows, pooled_findings, windowed_findings, windowed_rows
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Check, Finding, Level, Location, Proof
from xladoctor.model.ops import IN_LOSS
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug

REQUEST = "pairing"
_OF_DATA = ("Dataset_", "structured_function_wrapper")
"""What tf.data makes of the functions that a program gives it begins so."""
_QUIET = " No error was raised in the run."
_SLUGS = {
    "lost": "wrong-shape-silent",
    "fewer": "wrong-shape-silent",
    "alone": "dead-switch",
    "wrapped": "integer-wrap",
}
_REDUCTIONS = frozenset({"Mean", "Sum", "Max", "Min", "Prod", "Einsum", "MatMul", "BatchMatMulV2"})
_EQUALITIES = ("Equal", "NotEqual")
"""Of labels and guesses, in an accuracy: no gradient is taken of them."""
"""Where the model's outputs meet the targets, as Keras names it."""
_ACROSS = ("contracted", "rolled")
"""What takes from other rows, as a model may be meant to: `by_row = False` says so."""
_UNTESTED = ("classes", "exchanged", "mixed", "off-transform", "wrapped")
"""No change of rows shows whether it was meant."""


@dataclass(frozen=True)
class Asked:
    """A function to be asked about: its capsule, a name for the reader, and the batches that the run had."""

    capsule: str
    name: str
    sizes: tuple[int, ...] = ()
    method: str | None = None
    location: Location | None = None
    by_row: bool = False
    """Whether its results should have a row for each row of the data: a `predict` whose rows nobody has compared, and
    whose model does not say otherwise (`by_row = False`)."""
    model: str | None = None
    apart: bool = True
    """Whether each row is answered for itself, as far as the model says."""


def to_ask(recording: Recording) -> list[Asked]:
    """The steps of Keras calls first, then the program's own functions; of each function one trace."""
    calls = calls_around(recording)
    fixed = fixed_batches(recording)
    found: dict[tuple[Any, ...], Asked] = {}
    for trace in recording.of_kind(schema.TRACE):
        name, capsule = str(trace.get("python_name")), trace.get("capsule")
        if capsule is None or trace.get("parent") is not None or name.startswith(_OF_DATA):
            continue
        # A function of the program's own that is called within one of Keras is its own.
        call = calls.get(id(trace)) if trace.get("defined") is None else None
        key = (trace["pid"], trace.get("owner") or name)
        if trace.get("defined") is None and (call is None or not trace.get("inputs")):
            continue  # a library's own
        if key in found and not _is_second_attempt(recording, found[key].capsule, trace):
            continue
        if call is None:
            found[key] = Asked(str(capsule), name, location=defined(trace))
            continue
        size = fixed.get(str(call.get("model"))) or call.get("batch_size")
        label = f"{call['method']} of {call.get('model')}"
        begun = next((e for e in recording.of_kind(schema.CALL) if _is_begin(e, call)), call)
        by_row = call["method"] == "predict" and call.get("rows_in") is None and call.get("by_row") is not False
        sizes = (size,) if size else ()
        at, apart = location(begun.get("where")), call.get("by_row") is not False
        found[key] = Asked(str(capsule), label, sizes, call["method"], at, by_row, call.get("model"), apart)
    return sorted(found.values(), key=lambda a: a.method is None)


def checks(recording: Recording) -> tuple[Check, ...]:
    """A check for each function that was asked about, in a run that ended well, or as the program chose."""
    if not (survived(recording) or ended_itself(recording)):
        return ()
    return tuple(_checks(recording))


def mispairings(recording: Recording) -> Iterator[Finding]:
    """What is wrong; of one op at one line one finding."""
    names = {a.capsule: a for a in to_ask(recording)}
    seen = set()
    for answer in recording.answers(REQUEST):
        asked = names.get(answer.capsule)
        if not asked:
            continue
        for told in _wrong(asked, answer.told):
            finding = _finding(asked, told)
            key = (finding.op, str(finding.location))
            if key not in seen:
                seen.add(key)
                yield finding
        mixed = _mixed(recording, asked, answer.told)
        windowed = _windowed(recording, asked, answer.told)
        for finding in (
            *pooled_findings(recording, mixed, asked.name, asked.capsule, asked.location),
            *windowed_findings(windowed, asked.name, asked.capsule, asked.location),
        ):
            # Rows that are lost there for good, or a softmax, are said already.
            if str(finding.location) not in {place for _, place in seen}:
                seen.add((finding.op, str(finding.location)))
                yield finding


def _wrong(asked: Asked, told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What was found; without what a model is meant to do whose rows are not answered for themselves."""
    return [t for t in told.get("found") or () if asked.apart or t.get("kind") not in _ACROSS]


def _mixed(recording: Recording, asked: Asked, told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mixed_rows(recording, told, asked.method, asked.model) if asked.apart else []


def _windowed(recording: Recording, asked: Asked, told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return windowed_rows(recording, told, asked.method, asked.model) if asked.apart else []


def with_mispairings(findings: Sequence[Finding], recording: Recording) -> tuple[Finding, ...]:
    """The findings with what is wrong with the rows or with gradients of the program: errors after those that were
    known, warnings after the others. What is wrong beyond doubt stands above what the program itself found wrong.
    """
    found = [*mispairings(recording), *meetings(recording), *own_gradients(recording)]
    everything = (*findings, *found)
    own = ended_itself(recording)
    if own:
        found = [replace(f, message=f.message.removesuffix(_QUIET)) for f in found]
        everything = (*found, *findings)
    errors = [f for f in everything if f.level == "error"]
    rest = [f for f in everything if f.level != "error"]
    if own or any(f.level == "error" for f in found):
        rest = [replace(f, role="consequence") for f in rest]
    return (*errors, *rest)


def meetings(recording: Recording) -> Iterator[Finding]:
    """Eager operands of which broadcasting made every pair of rows, where a gradient was taken of one of them, they
    were compared, one is the result of a model, or all pairs are a target of predictions.

    Nobody saw what became of the result, and an axis that the line itself gives an operand is meant.
    """
    rule = by_slug("wrong-pairing")
    seen: set[Location] = set()
    for event in recording.of_kind(schema.MEETING):
        watched, at = event["watched"], location(event.get("where"))
        scored = sum(event.get("predicted") or ()) == 1 and not any(watched)
        compares = event["op"] in _EQUALITIES
        taught = location(event.get("taught"))
        if event.get("given") or not (any(watched) or compares or scored or taught) or at is None or at in seen:
            continue
        seen.add(at)
        watched = event["predicted"] if scored else watched
        told = {
            "op": event["op"],
            "shapes": [*event["shapes"], broadcast(*event["shapes"])],
            "parts": ["prediction" if w else "data" for w in watched],
        }
        title, _ = words("outer", told)
        first, second, result = (python_shape(s) for s in told["shapes"])
        parts = told["parts"]
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{at.function or 'the program'}: {title}",
            message=f"{event['op']} combines {first} ({parts[0]}) and {second} ({parts[1]}), and broadcasting "
                    f"makes {result} of them: each row of one with all rows of the other. It ran eagerly"
            f"{'' if compares or scored or taught else ', within a gradient'}; {_use_of_pairs(taught)}. No error was "
            "raised in the run.",
            op=str(event["op"]), dims=tuple(told["shapes"]), location=at,
            evidence=(Proof("event", f"{event['op']} of {first} and {second}",
                            f"events-{event['pid']}.jsonl:{event['seq']}"),),
            basis=RECORDED_MEETING,
            remedies=(REMEDIES["outer"],),
            details={"kind": "outer", "function": at.function, "parts": told["parts"]},
        )  # fmt: skip


def _use_of_pairs(taught: Location | None) -> str:
    if taught is None:
        return "the further use of the pairs was not recorded"
    return f"what has the shape of the pairs is the target of as many predictions at {taught}"


def broadcast(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The shape that two shapes give together."""
    longer, shorter = (list(one), list(other)) if len(one) >= len(other) else (list(other), list(one))
    rest = len(longer) - len(shorter)
    return [*longer[:rest], *(max(a, b) for a, b in zip(longer[rest:], shorter, strict=True))]


def _checks(recording: Recording) -> Iterator[Check]:
    answers = {a.capsule: a.told for a in recording.answers(REQUEST)}
    for asked in to_ask(recording):
        told = answers.get(asked.capsule)
        check = Check(what="rows", function=asked.name, location=asked.location)
        if told is None or told.get("result") == "no-rows":
            continue
        if told.get("result") != "asked":
            yield replace(check, why=told.get("why"))
            continue
        wrong = [t for t in _wrong(asked, told) if t.get("kind") not in ("alone", "wrapped")]
        wrong = wrong or _mixed(recording, asked, told) or _windowed(recording, asked, told)
        yield replace(check, calls=1, result="diverges" if wrong else "agrees")


def _is_begin(event: Event, call: Event) -> bool:
    return event["phase"] == "begin" and (event["pid"], event["call"]) == (call["pid"], call["call"])


def _is_second_attempt(recording: Recording, capsule: str, trace: Event) -> bool:
    """Whether a function was traced once more for the same inputs, as one that makes variables is: the first time is
    never run.
    """
    first = next((t for t in recording.of_kind(schema.TRACE) if t.get("capsule") == capsule), None)
    return first is not None and first.get("inputs") == trace.get("inputs")


def _finding(asked: Asked, told: Mapping[str, Any]) -> Finding:
    kind = str(told["kind"])
    rule = by_slug(_SLUGS.get(kind, "wrong-pairing"))
    at, made = line(told), line(told.get("made") or {})
    where = made if kind in ("lost", "groups") and made is not None else at
    level: Level = "error" if _is_certain(kind, told) else "warning"
    title, why = words(kind, told)
    born = f" {made_by(kind, told['made'], made)}" if told.get("made") else ""
    meets = f" They are combined at {at}." if where is made and at is not None and at != made else ""
    return Finding(
        code=rule.code, slug=rule.slug, level=level, role="root",
        title=f"{asked.name}: {title}",
        message=f"{why}{born}{meets}{_QUIET}",
        op=str(told["op"]), node=told.get("node"), dims=tuple(s for s in told.get("shapes") or () if s is not None),
        location=where or asked.location,
        evidence=(Proof("worker", proof(told), f"worker.jsonl, capsule {asked.capsule}"),),
        status="untested" if kind in _UNTESTED else "confirmed",
        basis=NOT_TESTED if kind in _UNTESTED else ROWS_CHANGED,
        remedies=(REMEDIES[kind], *(r for r in rule.remedies if r.id not in ("compare-paths", "remove-reindex"))),
        details={"kind": kind, "function": asked.name, "capsule": asked.capsule, "parts": told.get("parts"),
                 "meets": str(at) if at else None, "made": str(made) if made else None},
    )  # fmt: skip


def _is_certain(kind: str, told: Mapping[str, Any]) -> bool:
    """Whether it is wrong beyond doubt: predictions, and an axis that nobody gave an operand on purpose."""
    if kind == "groups":
        return True
    if kind not in ("outer", "lost") or "prediction" not in (told.get("parts") or ()) or told.get("comes_out"):
        return False
    if kind == "lost" and IN_LOSS not in str(told.get("node")):
        # A mean over the rows, put beside them again, may be what is wanted: one code for a whole set.
        return str((told.get("made") or {}).get("op")) not in _REDUCTIONS
    return bool(told.get("natural"))
