"""Variables that no gradient reached in the run, and the op that stopped it.

The recorder saw what the tape gave the optimizer, and the way back from the loss. A variable that another step trained
is none of these; one that the program changed itself is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.diagnosis.basis import RECORDED_GRADIENTS
from xladoctor.diagnosis.facts import is_user_file
from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_gradients import own_gradient_checks
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Check, Diagnosis, Finding, Level, Location, Proof
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug

SLUG = "no-gradient"
_SHOWN = 3
_NONE = "No gradients provided for any variable"
_ELSEWHERE = " Each of these variables got a gradient in another step of this run."


@dataclass(frozen=True)
class _Group:
    """Variables that the same ops keep a gradient from; `stops` is None where that was not looked up."""

    event: Event
    names: tuple[str, ...]
    stops: Mapping[str, Any] | None


def untrained(recording: Recording) -> Iterator[Finding]:
    """A finding for each group of variables that the optimizer was given without a gradient, and that nothing else in
    the run trained.
    """
    if not (survived(recording) or ended_itself(recording)):
        return
    ends = {e["pid"]: e for e in recording.of_kind(schema.NO_GRADIENT) if e["what"] == "end"}
    for group in _groups(recording):
        end = ends.get(group.event["pid"], {})
        names = tuple(n for n in group.names if n not in (end.get("trained") or ()))
        changed = tuple(n for n in names if n in (end.get("moved") or ()))
        kept = tuple(n for n in names if n not in changed)
        if changed:
            yield _finding(replace(group, names=changed), "note", end)
        if kept:
            yield _finding(replace(group, names=kept), "warning", end)


def gradient_checks(recording: Recording) -> tuple[Check, ...]:
    """A check for each optimizer and line where it was given a gradient for each of its variables, or was not; then for
    each function with a gradient of its own.
    """
    if not (survived(recording) or ended_itself(recording)):
        return ()
    found: dict[tuple[str, str], Check] = {}
    for event in recording.of_kind(schema.NO_GRADIENT):
        if event["what"] == "none":
            at = location(event.get("where"))
            name = str(event.get("optimizer") or "an optimizer")
            found.setdefault((name, str(at)), Check("gradients", name, 1, "agrees", location=at))
    wrong = {str(f.details["used"]) for f in untrained(recording) if f.level == "warning"}
    of_optimizers = (replace(c, result="diverges") if str(c.location) in wrong else c for c in found.values())
    return (*of_optimizers, *own_gradient_checks(recording))


def with_recorded(findings: Iterable[Finding], recording: Recording) -> tuple[Finding, ...]:
    """The findings without Keras' own words on variables of which more was recorded; as a note where all of them were
    trained elsewhere.
    """
    known = tuple(findings)
    if not any(f.slug == SLUG for f in known):
        return known
    events = recording.of_kind(schema.NO_GRADIENT)
    named = {name for e in events for name in e.get("variables") or ()}
    told = {name for f in untrained(recording) for name in f.details["variables"]}
    ended = any(e["what"] == "end" for e in events)

    def judged(finding: Finding) -> Finding | None:
        names = set(finding.details.get("variables") or ())
        if finding.slug != SLUG or not names or not names <= named or not ended:
            return finding
        if names & told:
            return None
        return replace(finding, level="note", message=finding.message + _ELSEWHERE, remedies=())

    return tuple(f for f in map(judged, known) if f is not None)


def with_stops(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis; where a step ended the run in which no variable got a gradient, with the op that stopped it as the
    first to suspect.
    """
    root = diagnosis.root
    if root is None or _NONE not in root.message:
        return diagnosis
    stops = [s for e in recording.of_kind(schema.NO_GRADIENT) for s in e.get("stops") or () if s["cuts"]]
    words = list(dict.fromkeys(_why(s, s["cuts"]) for s in stops))[:_SHOWN]
    told = replace(root, message=" ".join([root.message, *words]))
    found = diagnosis.with_finding(root, told)
    cuts = [cut for s in stops for cut in s["cuts"]]
    first = next((cut for cut in cuts if _line(cut) is not None), None)
    at = _line(first) if first is not None else None
    if first is None or at is None or at.line is None:
        return found
    suspect = suspect_at(recording, at.file, at.line, _reason(first))
    return with_first_suspect(found, told, suspect, _remedies(cuts))


def _groups(recording: Recording) -> list[_Group]:
    """What was recorded, of each variable once: with the ops that stop its gradient, where they are known."""
    found: dict[tuple[int, str], _Group] = {}
    for event in recording.of_kind(schema.NO_GRADIENT):
        for name in event.get("variables") or ():
            stops = next((s for s in event.get("stops") or () if name in s["variables"]), None)
            key = (event["pid"], str(name))
            if stops is None and name in (event.get("zeros") or ()):
                continue  # a gradient may be 0
            if key not in found or (found[key].stops is None and stops is not None):
                found[key] = _Group(event, (str(name),), stops)
    together: dict[tuple[Any, ...], _Group] = {}
    for group in found.values():
        cuts = None if group.stops is None else str(group.stops["cuts"])
        alike = (group.event["pid"], cuts, str(group.event.get("where")))
        known = together.get(alike)
        together[alike] = group if known is None else replace(known, names=(*known.names, *group.names))
    return list(together.values())


def _finding(group: _Group, level: Level, end: Mapping[str, Any]) -> Finding:
    rule, event = by_slug(SLUG), group.event
    used = location(event.get("where"))
    cuts = [] if group.stops is None else list(group.stops["cuts"])
    at = next((line for cut in cuts if (line := _line(cut)) is not None), None)
    names, one = in_words(group.names), len(group.names) == 1
    given = f"The optimizer is given {names} without a gradient{f' ({used})' if used is not None else ''}"
    message = f"{given}, and leaves {'it as it is' if one else 'them as they are'}."
    if level == "note":
        message += (
            f" The program itself changed {'its value' if one else 'their values'} in the run, as it may mean to."
        )
    elif set(group.names) <= set(end.get("same") or ()):
        message += f" At the end of the run {'its values are' if one else 'their values are'} what they were then."
    stopped = cuts[0]["op"] if cuts and cuts[0]["why"] == "op" else None
    proof = f"no gradient of {names}" + (f"; stops: {', '.join(_short(cut) for cut in cuts)}" if cuts else "")
    return Finding(
        code=rule.code, slug=SLUG, level=level, role="root",
        title=f"{names} {'gets' if one else 'get'} no gradient{f': {stopped} passes none on' if stopped else ''}",
        message=f"{message} {_why(group.stops, cuts)}".strip(),
        op=stopped, layer=_layer(group.names), location=at or used,
        evidence=(Proof("event", proof, event_of(event)),),
        status="confirmed", basis=RECORDED_GRADIENTS,
        remedies=() if level == "note" else _remedies(cuts),
        details={"variables": list(group.names), "stops": cuts, "used": str(used) if used is not None else None,
                 "connected": None if group.stops is None else bool(group.stops["connected"])},
    )  # fmt: skip


def _remedies(cuts: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    remedies = {r.id: r for r in by_slug(SLUG).remedies}
    if not cuts:
        return (remedies["train-what-is-used"],)
    if all(cut["why"] == "outside" for cut in cuts):
        return (remedies["inside-the-tape"],)
    if all(cut["op"] == "StopGradient" for cut in cuts):
        return (remedies["train-what-is-used"],)
    return (remedies["keep-differentiable"], remedies["train-what-is-used"])


def _why(stops: Mapping[str, Any] | None, cuts: Sequence[Mapping[str, Any]]) -> str:
    """Where the gradient stops, in sentences."""
    if stops is None:
        return ""
    if not cuts:
        return "No recorded op leads from there to the loss."
    words = []
    for cut in cuts:
        where, at = _line(cut), ""
        at = f", {where}" if where is not None else ""
        if cut["why"] == "outside":
            words.append(f"On the way to the loss, {cut['op']}{at}, ran while no tape was recording.")
        elif cut["why"] == "numpy":
            words.append(
                f"No recorded op leads from there to the loss; a value that depends on it went to NumPy or "
                f"Python{at}, and no gradient comes back from there."
            )
        elif cut["op"] == "StopGradient":
            words.append(f"On the way to the loss, tf.stop_gradient{at}, ends the gradient.")
        else:
            words.append(f"On the way to the loss, {cut['op']}{at}, passes no gradient on.")
    return " ".join(words)


def _reason(cut: Mapping[str, Any]) -> str:
    """What a line does that no gradient comes through, in one sentence."""
    if cut["why"] == "outside":
        return f"{cut['op']} ran while no tape was recording, so no variable gets a gradient."
    if cut["why"] == "numpy":
        return "A value goes to NumPy or Python here, so no variable gets a gradient."
    return f"{cut['op']} passes no gradient on, so no variable gets one."


def _short(cut: Mapping[str, Any]) -> str:
    where = _line(cut)
    return f"{cut['op']}{f' ({where})' if where is not None else ''}"


def _line(cut: Mapping[str, Any]) -> Location | None:
    frames = [location(f) for f in cut.get("frames") or ()]
    return next((f for f in frames if f is not None and is_user_file(f.file)), None)


def in_words(names: Sequence[str]) -> str:
    """The first few variables, and how many more there are."""
    shown = [f"`{name}`" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        return f"{', '.join(shown)} and {len(names) - _SHOWN} more variables"
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _layer(names: Sequence[str]) -> str | None:
    """The layer of the variables, where they are of one."""
    layers = {name.rpartition("/")[0] for name in names}
    return next(iter(layers)) or None if len(layers) == 1 else None
