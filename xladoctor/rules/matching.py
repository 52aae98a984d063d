"""From error records to findings: the part that all rules have in common.

A rule's own part is a *recogniser*: it looks at one record and says what the message names, or None. Records that
say the same thing (the runtime's warning line and the exception after it) become one finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xladoctor.model.diagnosis import Finding, Level, Location, Proof, Role, Status
from xladoctor.model.frozen import dataclass

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules.base import Rule

PROOFS = 4
TEXT = 600


@dataclass(frozen=True)
class Hit:
    """What a recogniser found in one message. Empty fields are filled from the record.

    If the text leaves several causes open, `between` names them and `decide` says which further line or command would
    decide; both are in the message and in the finding's details.
    """

    message: str
    dims: tuple[Any, ...] = ()
    op: str | None = None
    node: str | None = None
    device: str | None = None
    layer: str | None = None
    status: Status = "confirmed"
    level: Level | None = None
    role: Role = "root"
    remedies: tuple[str, ...] | None = None
    details: dict[str, Any] = field(default_factory=dict)
    between: tuple[str, ...] = ()
    decide: tuple[str, ...] = ()


Recogniser = Callable[["ErrorRecord", str], Hit | None]
T = TypeVar("T")


@lru_cache(maxsize=512)
def flat(text: str) -> str:
    """The message on one line, so that soft wrapping does not matter; at most 12,000 characters."""
    return " ".join(text[:12_000].split())


@lru_cache(maxsize=256)
def pattern(source: str) -> re.Pattern[str]:
    """A compiled regular expression; compiled when first needed, because most logs need few."""
    return re.compile(source)


def find(text: str, literal: str, source: str) -> re.Match[str] | None:
    """The first match of a regular expression in a text that holds `literal`."""
    return pattern(source).search(text) if literal in text else None


def upto(text: str, *marks: str) -> str:
    """`text` up to the first of `marks`. (A pattern that wants a mark or the end would fail where lines follow.)"""
    return text[: min((at for mark in marks if (at := text.find(mark)) >= 0), default=len(text))]


def ints(text: str) -> tuple[int, ...]:
    """All integers of a text, in order."""
    return tuple(int(n) for n in pattern(r"-?\d{1,18}").findall(text))


def shape(text: str) -> tuple[int | None, ...]:
    """`[128,?,78]`, `(None, 4)` or `128,78` as a shape."""
    parts = pattern(r"\?|None|-?\d{1,18}").findall(text)
    return tuple(int(p) if p.lstrip("-").isdigit() and int(p) >= 0 else None for p in parts)


def shapes(text: str) -> list[tuple[int | None, ...]]:
    """All bracketed shapes of a text, in order: `[2,3]`, `(None, 4)`, `f32[<=8,16]`."""
    found = pattern(r"[\[(]\s?((?:(?:<=)?(?:\d{1,12}(?!\d)|\?|None)(?:\s?,\s?|\s)?){1,16})[\])]").findall(text)
    return [shape(f) for f in found]


_CALLS = r"^(?:Stateful|Partitioned|gradient_tape$|cond(?:_\d+)?$|while(?:_\d+)?$|body$|then$|else$)"


def layer_of(nodes: Iterable[str]) -> str | None:
    """The Keras layer path of the true call site: the outermost node reference that is a path, without the op."""
    for node in reversed(tuple(nodes)):
        parts = [p for p in node.split("/") if p]
        while parts and pattern(_CALLS).match(parts[0]):
            parts.pop(0)
        if len(parts) >= 2:
            return "/".join(parts[:-1])
    return None


def layer_class_of(text: str) -> str | None:
    """The class of the innermost Keras layer in whose `call` an exception was raised; None where none is named."""
    names = pattern(
        r"ncountered when calling (?:layer [\"'][\w./-]{1,200}[\"'] \(type (\w{1,100})\)|(\w{1,100})\.call\(\))"
    ).findall(text[:12_000])
    return next((a or b for a, b in reversed(names)), None)


def op_of(record: ErrorRecord) -> str | None:
    """The op type: as named, or otherwise from the node's name, the kernel's words or the kernel's file."""
    if record.op and not record.op.startswith("__inference") and not record.op.startswith("__forward"):
        return record.op
    from xladoctor.rules.recognise.op_names import op_from

    return op_from(record)


def location_of(record: ErrorRecord) -> Location | None:
    """The deepest frame of user code."""
    frame = record.user_frame
    return frame.location if frame else None


def make(recognise: Recogniser, *, general: Recogniser | None = None, **fields: Any) -> Rule:
    """A rule whose `match` gives one finding for each distinct thing that `recognise` (or `general`, of a record
    that no
    rule knows) finds in the log.
    """
    from xladoctor.rules.base import Rule

    plain = Rule(**fields, recognise=recognise, general=general)
    return replace(plain, match=partial(match_records, plain, recognise))


def by_words(slug: str) -> Recogniser:
    """The general recogniser of one class: what `recognise.general` guesses, where it names that class."""

    def recognise(record: ErrorRecord, text: str) -> Hit | None:
        from xladoctor.rules.recognise.general import guess  # few logs need it, and it has many patterns

        found = guess(record, text)
        return found[1] if found and found[0] == slug else None

    return recognise


class Asked:
    """The hits of recognisers for one record. Many rules need the hits of others, so each recogniser runs once."""

    __slots__ = ("_hits", "record", "text")

    def __init__(self, record: ErrorRecord) -> None:
        self.record, self.text = record, flat(record.text)
        self._hits: dict[Callable[..., Any], Any] = {}

    def hit(self, recognise: Callable[[ErrorRecord, str], T]) -> T:
        """The hit of this recogniser."""
        try:
            return cast("T", self._hits[recognise])
        except KeyError:
            hit = self._hits[recognise] = recognise(self.record, self.text)
            return hit


@lru_cache(maxsize=512)
def asked(record: ErrorRecord) -> Asked:
    """The hits of recognisers for a record, with those that are already known."""
    return Asked(record)


def _general(rule: Rule, record: ErrorRecord, text: str) -> Hit | None:
    """What the rule's general recogniser says of an error that no rule knows word for word."""
    from xladoctor.rules import known

    if rule.general is None or record.level == "warning" or known(record) is not None:
        return None
    return cast("Hit | None", rule.general(record, text))


def match_records(rule: Rule, recognise: Recogniser, evidence: Evidence) -> Iterator[Finding]:
    """The findings of one rule in one log. Warning lines count only if no error has the same class."""
    found: dict[Any, list[tuple[ErrorRecord, Hit]]] = {}
    for record in evidence.log.records:
        others = asked(record)
        hit = others.hit(recognise) or (_general(rule, record, others.text) if rule.general is not None else None)
        if hit:
            found.setdefault((hit.dims, hit.details.get("key")), []).append((record, hit))
    serious = [group for group in found.values() if any(r.level == "error" for r, _ in group)]
    for group in serious or list(found.values())[:3]:
        one = finding(rule, group)
        if one.location is None and _is_chained(group[0][0], evidence):
            one = replace(one, location=_location_below(group[0][0], evidence))
        if one.location is None:
            one = replace(one, location=location_around(group[0][0], evidence))
        if one.location is None and one.level == "error":
            one = replace(one, location=_location_of_death(group[0][0], evidence))
        if one.level == "error" and _went_on(group, evidence):
            said = f"{one.message} The run went on after it."
            one = replace(one, message=said, details={**one.details, "went_on": True})
            if _survived(group, evidence):
                one = replace(one, level="warning")
        if not serious and rule.level == "error" and one.level == "warning":
            if _died_below(group, evidence):
                one = replace(one, level="error")
            elif _last_words(group, evidence):
                one = replace(one, level="error", message=f"{one.message} Nothing below it shows that the run went on.")
        yield one


def _went_on(group: list[tuple[ErrorRecord, Hit]], evidence: Evidence) -> bool:
    """Whether training is seen to go on below every place where this was said: it was caught, and ended nothing."""
    below = evidence.log.facts.get("went_on", {})
    return bool(below) and all(record.where in below for record, _ in group)


def _survived(group: list[tuple[ErrorRecord, Hit]], evidence: Evidence) -> bool:
    """Whether a saved log shows that training surely went on, and no error that ended it. A cell that failed stays a
    failure, whatever other cells did.
    """
    sure = evidence.log.facts.get("survived", {})
    cells = any(pattern(r"^(?:Cell|Input) In|<ipython|ipykernel").match(f.file) for r, _ in group for f in r.frames)
    return (
        evidence.process is None
        and not cells
        and all(record.where in sure for record, _ in group)
        and not any(r.level == "error" and r.ended_run for r in evidence.log.records)
    )


def _is_chained(record: ErrorRecord, evidence: Evidence) -> bool:
    """Whether another exception followed from this one. A line of the runtime, or an error that was caught, has nothing
    to do with the next traceback.
    """
    went_on = evidence.log.facts.get("went_on", {})
    return record.level == "error" and not record.ended_run and record.where not in went_on


def _location_below(record: ErrorRecord, evidence: Evidence) -> Location | None:
    """Where a chain of exceptions left the user's code: in the exception that followed from this one."""
    records = evidence.log.records
    later = records[records.index(record) + 1 :]
    return next(
        (at for r in later if r.level == "error" and r.stream == record.stream and (at := location_of(r))), None
    )


def location_around(record: ErrorRecord, evidence: Evidence) -> Location | None:
    """Where the program was when TensorFlow passed on an exception, in a message of its own, without a frame of the
    program: that of a generator, or of a function that `py_function` calls.
    """
    said = flat(record.text).partition(" [[{{node")[0]
    around = (r for r in evidence.log.records if r.level == "error" and r is not record and r.stream == record.stream)
    return next((at for r in around if said and said in flat(r.text) and (at := location_of(r))), None)


def _location_of_death(record: ErrorRecord, evidence: Evidence) -> Location | None:
    """Where the program was at a fatal check of the runtime, which has no frame of Python's: in the stack that Python
    prints as the process dies of it.
    """
    if record.exception is not None or not record.ended_run:
        return None
    later = evidence.log.records[evidence.log.records.index(record) + 1 :]
    following = next((r for r in later if r.level == "error" and r.stream == record.stream), None)
    died = following is not None and following.text.startswith("Fatal Python error")
    return location_of(following) if died and following is not None else None


def _died_below(group: list[tuple[ErrorRecord, Hit]], evidence: Evidence) -> bool:
    """Whether the process aborted or crashed just below a line of the runtime: then that line says why, unless it says
    that the runtime goes on.
    """
    grave = [record for record, hit in group if not hit.details.get("harmless")]
    lines = {record.text.splitlines()[0][:400] for record in grave if record.text}
    return any(
        record.level == "error"
        and record.exception is None
        and pattern(
            r"^(?:\S{1,200}: line \d+: +\d+ )?(?:Check failed|Aborted|Segmentation|Fatal Python|terminate)"
        ).match(record.text)
        and any(line in above for line in lines for above in record.before)
        for record in evidence.log.records
    )


def _last_words(group: list[tuple[ErrorRecord, Hit]], evidence: Evidence) -> bool:
    """Whether a log, of whose run nothing else is known, ends with this error of the runtime."""
    ends = evidence.log.facts.get("last_words", {})
    if evidence.process is not None or not ends or any(r.level == "error" for r in evidence.log.records):
        return False
    return any(record.where in ends and hit.level is None for record, hit in group)


def undecided(between: Sequence[str], decide: Sequence[str]) -> str:
    """Which causes a text leaves open, and what would decide between them."""
    open_ = f"The message leaves open which of these it is: {'; '.join(between)}. " if between else ""
    return f"{open_}To find out, look at: {'; '.join(decide)}."


def finding(rule: Rule, group: list[tuple[ErrorRecord, Hit]]) -> Finding:
    """One finding for records that say the same."""
    ranked = sorted(group, key=lambda g: (g[0].level != "error", not g[0].ended_run, not g[0].frames, not g[0].nodes))
    from xladoctor.rules.recognise.xla_path import xla_path

    record, hit = ranked[0]
    nodes = next((r.nodes for r, _ in ranked if r.nodes), ())
    level: Level = hit.level or (rule.level if record.level == "error" or rule.level != "error" else "warning")
    details = {key: value for key, value in hit.details.items() if key != "key"}
    message = hit.message
    if hit.decide:
        details |= {"between": list(hit.between), "decide": list(hit.decide)}
        message = f"{message} {undecided(hit.between, hit.decide)}"
    way = next((way for r, _ in ranked if (way := xla_path(flat(r.text)))), None)
    if way:
        details.setdefault("xla", way)
    if record.op_frames and not any(f.user for f in record.op_frames):
        details.setdefault("stack", "framework-only")
    caller = next((name for r, _ in ranked if (name := layer_class_of(r.text))), None)
    if caller:
        details.setdefault("layer_class", caller)
    return Finding(
        code=rule.code,
        slug=rule.slug,
        level=level,
        role=hit.role,
        title=rule.title,
        message=message,
        op=hit.op or next((op for op in (op_of(r) for r, _ in ranked) if op), None),
        node=hit.node or (nodes[0] if nodes else None),
        device=hit.device or next((r.device for r, _ in ranked if r.device), None),
        dims=hit.dims,
        layer=hit.layer or layer_of(nodes),
        location=next((at for at in (location_of(r) for r in innermost([r for r, _ in ranked])) if at), None),
        evidence=tuple(Proof("log", r.text[:TEXT] or r.exception or "", r.where) for r, _ in ranked[:PROOFS]),
        status=hit.status,
        remedies=tuple(r for r in rule.remedies if hit.remedies is None or r.id in hit.remedies),
        details=details,
    )


def innermost(records: list[ErrorRecord]) -> list[ErrorRecord]:
    """The records, first those that a pool of processes quotes of its worker: concurrent.futures, multiprocessing and
    joblib raise the worker's exception again in the parent, from a text in quotes that has the worker's own frames.
    """
    return sorted(records, key=lambda r: not is_quoted(r))


def is_quoted(record: ErrorRecord) -> bool:
    """Whether a traceback stands in the quotes that RemoteTraceback puts around a worker's."""
    return record.exception is not None and bool(record.frames) and record.text.rstrip().endswith('"""')


def factors(number: int, seen: Iterable[tuple[tuple[int | None, ...], str]]) -> list[dict[str, Any]]:
    """How a number of elements arises from shapes that the log itself shows. Several answers mean: ambiguous."""
    found: list[dict[str, Any]] = []
    for dims, where in seen:
        known = [d for d in dims if d is not None]
        if not known or len(known) < 2 or number <= 0:
            continue
        size = prod(known)
        entry: dict[str, Any] | None = None
        if len(known) == len(dims) and size == number:
            entry = {"shape": list(dims), "from": where}
        elif len(known) < len(dims) and size and number % size == 0:
            entry = {"shape": list(dims), "from": where, "unknown": number // size}
        if entry and entry not in found:
            found.append(entry)
    return found
