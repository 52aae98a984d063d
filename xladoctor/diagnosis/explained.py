"""What the fixed part of a model can make of the data of the run: offsets of another sign or order than it expects,
and data of another scale, or with their centre elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xladoctor.diagnosis.basis import FITTED
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.fourier import conjugated, not_centred
from xladoctor.sources.turned import handed_on, names_at, turns

REQUEST = "explain"
_SAME = 1e-3
"""Two factors that differ by less are one."""
_TURNED, _REACH = "wrong-pairing", "loss-input-mismatch"
_HOW = {
    "negated": "with the opposite sign",
    "swapped": "with their two components exchanged",
    "swapped-negated": "with their two components exchanged and the opposite sign",
    "first-negated": "with the opposite sign of the first component",
    "second-negated": "with the opposite sign of the second component",
    "reordered": "with the items of each row in another order",
}
_DATA = {
    "shifted": (
        "The data have their centre elsewhere than the predictions",
        "They are explained once they are rolled by half of their size: one `fftshift` is missing or too many.",
    ),
    "unlike": (
        "The loss does not do the same to the data as to the predictions",
        "They are explained once the data go through the same steps as the predictions, in the function in which both "
        "meet: a scale, a square or a root has another place on one side.",
    ),
    "flipped": (
        "The data are mirrored against the predictions",
        "They are explained once both of their axes are reversed: the wave or the probe is conjugated at one place and "
        "not at the other, a transform goes the other way, or the pictures are flipped.",
    ),
    "transposed": (
        "The two axes of the data are in another order than those of the predictions",
        "They are explained once their two axes are exchanged.",
    ),
}
"""What explains the data once it is done to them: a title, and what may be the reason."""
_NO_MEAN = (
    "Patches that overlap are not divided by the sum of their weights",
    "It puts patches together and divides them where they overlap. Patches of ones do not stay ones there: the divisor "
    "is not the sum of what they were multiplied by.",
)
_ONE_CONVENTION = Remedy(
    "one-convention", "Use one sign and one order of axes", "changes-numerics",
    "Move a picture with one bright pixel by (3, 0), from where the moves are made to where they are used.",
)  # fmt: skip
_SAME_SCALE = Remedy(
    "same-scale", "Bring predictions and data to one scale", "changes-numerics",
    "Use the same normalisation for the transform of the model and for what made the data: `norm=\"ortho\"`, or `/ n`.",
)  # fmt: skip


def to_ask(recording: Recording) -> list[str]:
    """The capsules of steps of which a sample was kept."""
    capsules = dict.fromkeys(str(t["capsule"]) for t in recording.of_kind(schema.TRACE) if t.get("capsule"))
    return [c for c in capsules if (recording.folder / "capsules" / c / schema.SAMPLE).is_file()]


def unexplained(recording: Recording) -> Iterator[Finding]:
    """A warning for a step whose data ask for other inputs, or for another scale."""
    for answer in recording.answers(REQUEST):
        told = answer.told
        relation = told.get("relation")
        if relation in _HOW:
            yield _turned(recording, told)
        elif told.get("change") is not None:
            yield _out_of_reach(recording, told)  # else the fit may have stopped too early


def _turned(recording: Recording, told: Mapping[str, Any]) -> Finding:
    rule = by_slug(_TURNED)
    used = [_location(frames) for frames in told.get("used") or ()]
    places = [at for at in used if at is not None]
    names, at = _line(recording, told, places)
    name = names[0] if names else "the moves"
    where = f" in {_apart(told).function}" if told.get("rest") and places else ""
    if told.get("trip"):
        return _apart_by_trip(told, name, where, at)
    title = f"The data are explained better by `{name}` {_HOW[told['relation']]}{where}"
    before, after = float(told.get("residual") or 0.0), float(told.get("other") or 0.0)
    return Finding(
        code=rule.code, slug=_TURNED, level="warning", role="root", title=title,
        message=f"`{name}` go into a part of the model behind its last weights. With the results of the network free, "
        f"this part was fitted to {told.get('rows', 0)} rows of the run. What is left is {before:.2g} of the data as "
        f"the program has it, and {after:.2g} {_HOW[told['relation']]}{where}. It is less in each row. Training "
        "does not change this part. The line is the most likely one, and was read in the source.",
        location=at, evidence=(Proof("worker", title, str(at)),), status="confirmed", basis=FITTED,
        remedies=(_ONE_CONVENTION,),
        details={"kind": "moves", "relation": told["relation"], "residual": before, "other": after},
    )  # fmt: skip


def _apart_by_trip(told: Mapping[str, Any], name: str, where: str, at: Location | None) -> Finding:
    """The finding for two places that use the moves in two ways."""
    rule = by_slug(_TURNED)
    ours = {(f[0], f[2]) for f in told["used"][0]}
    rest = [[f for f in frames if (f[0], f[2]) not in ours] or frames for frames in told["rest"]]
    others = [o for o in map(_location, rest) if o is not None]
    other = f"; the other place is {others[0]}" if others else ""
    title = f"`{name}` are used in two ways: the places agree once they are taken {_HOW[told['relation']]}{where}"
    before, after = (float(n) for n in told["trip"])
    return Finding(
        code=rule.code, slug=_TURNED, level="warning", role="root", title=title,
        message=f"A part of the model behind its last weights puts patches together by `{name}` and takes them out "
        f"again. A worker passed made-up patches through it twice. The second pass changed {before:.0%} of what the "
        f"first one made, and {after:.2%} with `{name}` {_HOW[told['relation']]}{where}. Training does not change this "
        f"part. Which of the two places is wrong is not known{other}.",
        location=at, evidence=(Proof("worker", title, str(at)),), status="confirmed", basis=FITTED,
        remedies=(_ONE_CONVENTION,), details={"kind": "places", "relation": told["relation"], "trip": [before, after]},
    )  # fmt: skip


def _line(recording: Recording, told: Mapping[str, Any], places: list[Location]) -> tuple[list[str], Location | None]:
    """(what the moves are called, the line that turns them most likely): in the function of the one use that is turned;
    else before the graph, where they are made.
    """
    trees = program_of(recording)
    names = [n for at in places for n in names_at(trees, at.file, at.line or 0)]
    relation = str(told["relation"])
    if told.get("rest"):
        own = _apart(told)
        line = handed_on(trees, own.file, own.line or 0, relation)
        return names, Location(own.file, line, own.function)
    found = turns(trees, names, relation, {(at.function or "").rpartition(".")[2] for at in places})
    if not found:
        return names, next(iter(places), None)
    return names, Location(found[0].file, found[0].line, found[0].function)


def _apart(told: Mapping[str, Any]) -> Location:
    """The innermost frame of the turned use whose function is in no other use."""
    others = {(f[0], f[2]) for frames in told["rest"] for f in frames}
    own = [f for f in told["used"][0] if (f[0], f[2]) not in others] or list(told["used"][0])
    return Location(str(own[-1][0]), int(own[-1][1]), str(own[-1][2]))


def _out_of_reach(recording: Recording, told: Mapping[str, Any]) -> Finding:
    rule = by_slug(_REACH)
    left = float(told.get("residual") or 0.0)
    transforms = [_location(frames) for frames in told.get("transforms") or ()]
    at = next((t for t in transforms if t is not None), None) or _location(told.get("meeting") or ())
    if told["change"] == "unlike":
        at = next((x for x in map(_location, told.get("used") or ()) if x is not None), at)
    if told["change"] == "shifted":
        at = next((Location(s.file, s.line, s.function) for s in not_centred(program_of(recording))), at)
    if told["change"] == "flipped":
        turned = conjugated(program_of(recording))
        at = Location(*turned[0]) if len(turned) == 1 else at
    by = _location(told.get("divisor") or ())
    title, more = _NO_MEAN if by is not None else _why(str(told["change"]), float(told.get("factor") or 1.0))
    return Finding(
        code=rule.code, slug=_REACH, level="warning", role="root", title=title,
        message=f"The model has a part behind its last weights. With the results of the network free, this part was "
        f"fitted to {told.get('rows', 0)} rows of the run, and {left:.2%} of the energy of the data is left. {more}",
        location=by or at, evidence=(Proof("worker", title, str(by or at)),), status="confirmed", basis=FITTED,
        remedies=(_SAME_SCALE,), details={"kind": "out-of-reach", "residual": left, "change": told.get("change")},
    )  # fmt: skip


def _why(change: str, factor: float) -> tuple[str, str]:
    """A title, and what may be the reason."""
    if change in _DATA:
        return _DATA[change]
    times = f"{1 / float(change):.4g} times" if float(change) < 1 else f"1/{float(change):.4g} of"
    size = "" if abs(float(change) * factor - 1) < _SAME else ", a power of the size of the transform"
    return (
        f"The data are {times} what the model can predict",
        f"They are explained once they are multiplied by {change}{size}: a normalisation is missing or applied twice, "
        "where the data are made or in this part.",
    )


def _location(frames: Any) -> Location | None:
    last = list(frames)[-1:]
    return Location(str(last[0][0]), int(last[0][1]), str(last[0][2])) if last else None
