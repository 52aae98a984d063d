"""A NaN that the program reckons with: a trial given up, or one that lost against others. No failure of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xladoctor.diagnosis.suspicion import Suspicion, ended_well, last_measure
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.guards import Guard

_MOST = 4


@dataclass(frozen=True)
class Reckoning:
    """What the program does with a value that is not finite.

    Attributes:
        place: `file:line: test`.
        by: it "tests" for such values, or only "compares" the value with others, which a NaN never wins.
        well: what shows that the run has results in spite of it, as a sentence; None where nothing does.
    """

    place: str
    by: Literal["tests", "compares"]
    well: str | None


def tests_that_meet(found: list[Guard], recording: Recording, sign: Suspicion) -> dict[str, list[str]]:
    """The tests that this sign of NaN can meet, for `first-nan.json`: {"tests": [...], "compares": [...]}."""
    huge = sign.what == "weights" or "inf" in sign.value.lower()  # too large is infinity, and never NaN
    strong = [g for g in found if g.kind in ("asks", "stops", "bound") or (g.kind == "limit" and huge)]
    weak = [g for g in found if g.kind == "order"] if other_trials(recording, sign) else []
    return {"tests": [str(g) for g in strong][:_MOST], "compares": [str(g) for g in weak][:_MOST]}


def reckoned(recording: Recording, sign: Suspicion) -> Reckoning | None:
    """How the program reckons with a sign of NaN, in a run that ended with 0; None where nothing shows that it does."""
    answer = recording.first_nan
    if not ended_well(recording):
        return None
    others = other_trials(recording, sign)
    place = next(iter(answer.get("tests") or ()), None)
    if place is not None:
        return Reckoning(str(place), "tests", _others(others, sign) if others else _measure(recording, sign))
    compared = next(iter(answer.get("compares") or ()), None)
    return Reckoning(str(compared), "compares", _others(others, sign)) if compared is not None and others else None


def other_trials(recording: Recording, sign: Suspicion) -> int:
    """How many calls of the same line ended with finite values, each with a model made or compiled anew before it."""
    event = sign.event
    if event is None or sign.where is None or not isinstance(event.get("call"), int):
        return 0
    pid = event["pid"]
    spoilt = {e.get("call") for e in recording.of_kind(schema.NOT_FINITE) if e["pid"] == pid}
    calls = [e for e in recording.of_kind(schema.CALL) if e["pid"] == pid]
    anew = [e["seq"] for e in recording.of_kind(schema.MODEL) if e["pid"] == pid]
    begins = [e for e in calls if e["phase"] == "begin" and e.get("where") == event.get("where")]
    ends = {e["call"] for e in calls if e["phase"] == "end"}
    mine = next((e for e in begins if e["call"] == event["call"]), None)
    if mine is None:
        return 0
    return sum(e["call"] in ends - spoilt and _apart(e, mine, anew) for e in begins)


def _apart(one: Event, other: Event, anew: list[int]) -> bool:
    """Whether a model was made or compiled between two calls."""
    first, last = sorted((one["seq"], other["seq"]))
    return any(first < at < last for at in anew)


def _others(count: int, sign: Suspicion) -> str:
    calls = f"{count} other calls" if count > 1 else "Another call"
    return f"{calls} of {sign.method} at that line, each with a new model, gave finite values."


def _measure(recording: Recording, sign: Suspicion) -> str | None:
    """What the program printed last of a loss, where that shows that another training of it ended well."""
    shown = last_measure(recording) if sign.method == "exit" else None
    return f"The last measure that it printed is finite: {shown[0]} {shown[1]}." if shown is not None else None
