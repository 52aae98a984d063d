"""Random numbers in compiled functions that are not what the program counts on.

XLA draws others from the same seed, by design. A program that draws from one seed in a compiled function and outside of
it, or that sets a seed again to get the same numbers once more, does not get them. Nothing is said of a program that
does neither.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from xladoctor.diagnosis.basis import DREW_BOTH_WAYS, NOT_TESTED, READ_IN_GRAPH
from xladoctor.diagnosis.checked import REQUEST, compared
from xladoctor.diagnosis.facts import line
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself
from xladoctor.model.diagnosis import Basis, Finding, Location, Proof, Status
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.names import last_name, nodes_of

SLUG = "random-in-compiled"
_MOST_TRACES = 20


def draws(recording: Recording) -> Iterator[Finding]:
    """A warning for each line of a compiled function whose random numbers are others than the program shows to want."""
    yield from (found for found, apart in _draws(recording) if not apart)


def drawn_apart(recording: Recording) -> Iterator[Finding]:
    """The same as the likely cause of an error, where the program ended itself by one of its own after the same line
    had drawn in a function without XLA too: it compared what cannot agree.
    """
    rule = by_slug("parity-divergence")
    for found, apart in _draws(recording):
        if apart:
            said = f"{found.message} The same line also draws in a function that runs without XLA. The program then "
            yield replace(
                found, code=rule.code, slug=rule.slug, level="error", status="untested", basis=NOT_TESTED,
                message=f"{said}ended itself with an error of its own, which is likely about the difference.",
            )  # fmt: skip


def _draws(recording: Recording) -> Iterator[tuple[Finding, bool]]:
    seen: set[tuple[str, str]] = set()
    ended = ended_itself(recording)
    for answer in recording.answers(REQUEST):
        told, capsule = answer.told, answer.capsule
        name = str(compared(recording, capsule, told.get("function")).get("python_name") or capsule)
        for draw in told.get("draws") or ():
            meant = _outside(recording, name, draw) or _set_again(recording, name, capsule, draw)
            found = meant or _mask(recording, name, draw) or (None if ended else _both_ways(recording, name, draw))
            key = (name, str(found.location if found else None))
            if found is not None and key not in seen:
                seen.add(key)
                yield found, meant is not None and ended and _drawn_plainly(recording, draw)


def _drawn_plainly(recording: Recording, draw: Mapping[str, Any]) -> bool:
    """Whether the line of a draw also drew in a function that XLA did not compile."""
    at = line(draw)
    plain = [t for t in recording.of_kind(schema.TRACE) if not t.get("xla") and t.get("capsule")]
    return at is not None and any(
        "andom" in node and frames and (frames[-1][0], frames[-1][1]) == (at.file, at.line)
        for trace in plain[:_MOST_TRACES]
        for nodes in recording.sources(str(trace["capsule"])).values()
        for node, frames in nodes.items()
    )


def _both_ways(recording: Recording, name: str, draw: Mapping[str, Any]) -> Finding | None:
    """The same line draws from a seed of its own in a function with XLA and in one without, and XLA draws others."""
    at = line(draw)
    if draw.get("same") is not False or not draw.get("key") or at is None or at.line is None:
        return None
    first = _stateless_call(recording, at.file, at.line)
    if first is None or not _drawn_plainly(recording, draw):
        return None
    found = _finding(
        draw,
        f"One seed gives other numbers in {name}, which XLA compiles, than in functions without XLA",
        "This line draws from a seed that it is given, so that the same seed gives the same numbers. It runs in a "
        f"function that XLA compiled ({name}) and in one without XLA, and XLA draws other numbers from the seed. What "
        "one of them adds, the other one cannot take away, and masks of one do not fit the other.",
        (Proof("worker", "from this key XLA draws other numbers than plain execution", "worker.jsonl"),),
        "confirmed",
        DREW_BOTH_WAYS,
    )
    return replace(found, location=replace(at, line=first))


def _stateless_call(recording: Recording, file: str, at: int) -> int | None:
    """The first line of the program's own call of a stateless function: a layer of Keras may make one as well."""
    source = source_of(recording, file)
    calls = list(nodes_of(source.tree, ast.Call)) if source is not None else []
    around = [c for c in calls if c.lineno <= at <= (c.end_lineno or c.lineno)]
    return max((c.lineno for c in around if "stateless" in last_name(c.func)), default=None)


def _outside(recording: Recording, name: str, draw: Mapping[str, Any]) -> Finding | None:
    """The same key was drawn outside any graph, and XLA draws other numbers from it."""
    if draw.get("same") is not False or not draw.get("key"):
        return None
    eager = next((e for e in recording.of_kind(schema.DRAW) if _is_of(e, draw)), None)
    if eager is None:
        return None
    there = location(eager.get("where"))
    at = f" at {there}" if there else ""
    return _finding(
        draw,
        f"{name} draws other numbers than the same seed gives outside it",
        f"The program draws from one seed twice: in {name}, which XLA compiled, and in eager execution{at}. XLA "
        f"draws other numbers from it, so results of the one do not belong to results of the other.",
        (
            Proof("event", f"{draw['op']} of shape {draw.get('shape')} with the same key{at}", event_of(eager)),
            Proof("worker", "from this key XLA draws other numbers than plain execution", "worker.jsonl"),
        ),
        "confirmed",
        DREW_BOTH_WAYS,
    )


def _is_of(eager: Event, draw: Mapping[str, Any]) -> bool:
    same = [eager.get(k) == draw.get(k) for k in ("key", "counter", "shape")]
    return all(same) and str(eager["op"]).replace("_", "") == str(draw.get("op")).lower()


def _set_again(recording: Recording, name: str, capsule: str, draw: Mapping[str, Any]) -> Finding | None:
    """One seed was set at least twice, and a function that takes no notice of it was called after each time."""
    if draw.get("key"):
        return None
    calls = [
        e["t"]
        for kind in (schema.FIRST_CALL, schema.LATER_CALL)
        for e in recording.of_kind(kind)
        if str(e["capsule"]) == capsule
    ]
    second = _again(recording.of_kind(schema.SEED), calls)
    if second is None:
        return None
    there = location(second.get("where"))
    return _finding(
        draw,
        f"{name} does not draw the same numbers again after set_seed({second['seed']})",
        f"The program sets the seed {second['seed']} twice{f' (again at {there})' if there else ''} and calls {name} "
        f"after each. XLA ignores that seed: what {draw['op']} draws there differs from call to call.",
        (Proof("event", f"the seed {second['seed']} was set again", event_of(second)),),
        "untested",
        NOT_TESTED,
    )


def _again(seeds: Sequence[Event], calls: Sequence[float]) -> Event | None:
    """The second time that a seed is set, with a recorded call after each: before the next seed, or later where nothing
    else was set in between.
    """
    for first, second in pairwise(seeds):
        between = any(first["t"] <= t < second["t"] for t in calls)
        if first["seed"] == second["seed"] and between and any(t >= second["t"] for t in calls):
            return second
    used: dict[str, Event] = {}
    for call in sorted(calls):
        now = next((seed for seed in reversed(seeds) if seed["t"] <= call), None)
        if now is not None and used.setdefault(str(now["seed"]), now) is not now:
            return now
    return None


_SET_ASIDE = re.compile(r"held|hold|split|valid|fold|test", re.IGNORECASE)
"""What the names about a draw say where the same rows are to be set aside in each step."""


def _mask(recording: Recording, name: str, draw: Mapping[str, Any]) -> Finding | None:
    """A mask is drawn from a seed that is a constant of the graph, in a function that trains. The rows that are set
    aside have to be the same ones.
    """
    at = line(draw)
    if not (draw.get("fixed") and draw.get("mask")):
        return None
    source = source_of(recording, at.file) if at is not None else None
    code = source.line(at.line) if source is not None and at is not None and at.line else ""
    if at is not None and _SET_ASIDE.search(f"{(at.function or '').rpartition('.')[2]} {code}"):
        return None
    return _finding(
        draw,
        f"{name} draws the same mask at every step",
        f"{draw['op']} draws from a seed that is a constant in the compiled graph of {name}, and its numbers "
        f"decide what is masked. So the mask is the same at every step.",
        (Proof("worker", "key and counter depend on no input and no variable", "worker.jsonl"),),
        "confirmed",
        READ_IN_GRAPH,
    )


def _finding(
    draw: Mapping[str, Any], title: str, message: str, proofs: tuple[Proof, ...], status: Status, basis: Basis
) -> Finding:
    rule = by_slug(SLUG)
    at: Location | None = line(draw)
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=title, message=message,
        op=str(draw.get("op")), node=str(draw.get("node")), location=at, evidence=proofs, status=status, basis=basis,
        remedies=rule.remedies,
    )  # fmt: skip
