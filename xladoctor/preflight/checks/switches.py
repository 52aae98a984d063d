"""Do the switches that the study knows govern anything, and do both of their positions give the same numbers?

A switch about XLA or compilation chooses how something is computed, not what. Where a step read it while it was traced,
the rehearsal has traced the step with the switch in its other position, too, and both are run on the same values. A
switch that no step read so may have been read when the model was made: the study is rehearsed once more with it
flipped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from xladoctor.diagnosis.flipped import flip_notes
from xladoctor.experiments import flip
from xladoctor.model.diagnosis import Finding
from xladoctor.model.preflight import State
from xladoctor.model.replay import Case
from xladoctor.preflight.situation import READ_ONLY, NotNow, Situation, Stage, Twin
from xladoctor.preflight.verdict import Verdict, details, of_findings
from xladoctor.protocol import answers, codec, requests
from xladoctor.recording.run import Recording, read_run
from xladoctor.recording.schema import schema
from xladoctor.workers.bench import Answer, Bench
from xladoctor.workers.classify import gist

TITLE = "switches that have an effect, and change no number"
ORDER = 110
RUNS_STEPS = True

_SETTINGS = frozenset({"setting-too-late", "baked-in-setting", "dead-switch"})


@dataclass(frozen=True)
class _Compared:
    """What came of a twin: whether its graph is another one, and the results that differ, worst first."""

    stage: Stage
    twin: Twin
    live: bool | None
    apart: tuple[answers.ComparedWays, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        switch = self.twin.switch
        return f"{self.stage.name} with {switch.name} = {switch.other!r} instead of {switch.value!r}"


def check(situation: Situation) -> Verdict:
    """Differences are a no-go, and so is a switch that the study sets and that has no effect."""
    if situation.study.subjects:
        raise NotNow("its steps are callables, and switches are tested only in the steps of a command")
    found = [_compared(situation, stage, twin) for stage in situation.stages for twin in stage.twins]
    live = {c.twin.switch.name for c in found if c.live is not False}
    dead, notes = _rehearsed(situation, live)
    lines = [*(_line(c) for c in found), *notes]
    wrong = [c for c in found if c.apart]
    if wrong:
        first = wrong[0]
        slug = "wrong-shape-silent" if first.apart[0].deviation is None else "parity-divergence"
        return Verdict(
            "fail", f"{first}: {_apart(first.apart[0])}",
            "One of the two is wrong, and the doctor cannot know which: compare each with a case whose result you "
            "know.",
            (slug,), (*lines, *details(dead)),
        )  # fmt: skip
    if dead:
        asked = [f for f in dead if _asked_for(situation, f)]
        state: State = "fail" if asked else "warn"
        said = "the study sets it, but it has no effect" if asked else "it has no effect"
        verdict = of_findings(asked or dead, state, said)
        return Verdict(state, verdict.message, verdict.todo, verdict.slugs, (*verdict.details, *lines))
    failing = [c for c in found if c.live is None]
    if failing:
        todo = "The study does not use that position, but it fails for anybody who flips the switch."
        return Verdict("warn", _line(failing[0]), todo, (), tuple(lines))
    if not found and not notes:
        if not situation.rehearsal.of_kind(schema.SETTING):
            raise NotNow("the study has no settings that the doctor knows")
        return Verdict("pass", "no switch with two positions was read")
    names = ", ".join(sorted(live)) or "; ".join(notes)
    return Verdict("pass", f"{names}: other graphs, the same numbers" if live else names, details=tuple(lines))


def _compared(situation: Situation, stage: Stage, twin: Twin) -> _Compared:
    """The twin's graph, and its plain results on the values of the step, against those of the step."""
    if twin.bench is None:
        return _Compared(stage, twin, None, note=f"it cannot be traced: {gist(twin.error)}")
    situation.say(f"comparing {stage.name} with {twin.switch.name} = {twin.switch.other!r}")
    graphs = [_digest(b) for b in (stage.bench, twin.bench)]
    if None not in graphs and graphs[0] == graphs[1]:
        return _Compared(stage, twin, False, note="the same graph")
    case = stage.cases[0] if stage.cases else Case(None)
    file = situation.folder / f"{twin.bench.folder.name}.npz"
    first = stage.bench.ask(requests.CompareWays(ways=(), save=str(file)), case)
    if not _passed(first):
        return _Compared(stage, twin, True, note=f"not compared: the step does not run plainly ({_why(first)})")
    second = twin.bench.ask(requests.CompareWays(ways=(), against=(("as it is", str(file)),)), case)
    if not _passed(second):
        return _Compared(stage, twin, None, note=f"it does not run: {_why(second)}")
    rows = second.result.agreements
    apart = sorted((r for r in rows if r.apart and not r.seeded), key=_deviation, reverse=True)
    return _Compared(stage, twin, True, tuple(apart), f"another graph; {len(rows)} results, {len(apart)} differ")


def _rehearsed(situation: Situation, live: Iterable[str]) -> tuple[list[Finding], list[str]]:
    """(dead switches, notes) of the switches that are set and that no step read while it was traced, but for those
    whose order is a finding already.
    """
    recording = situation.rehearsal
    late = [f.title for f in situation.diagnosis.findings if f.slug in _SETTINGS]
    read = {str(e["key"]) for e in recording.of_kind(schema.SETTING) if e["action"] == "read"}
    rest = [
        s
        for s in flip.switches(recording)
        if s.value is not None
        and s.name not in live
        and (s.store == "env" or s.key in read)
        and not any(t.startswith(f"{s.store} {s.key} ") for t in late)
    ]
    stages = situation.stages
    traces = _traces(recording)
    if not rest or not traces:
        return [], []

    def digest(folder: Path) -> answers.Digest | None:
        answer = stages[0].bench.ask(requests.DigestGraph(capsule=str(folder)), Case(None))
        return answer.result if answer.ok else None

    rows = []
    for number, switch in enumerate(rest, 1):
        situation.say(f"rehearsing with {switch.name} = {switch.other!r} ({number} of {len(rest)})")
        forced = {switch.name: switch.other}
        # The same steps as in the rehearsal, and only batches that show something new.
        again = situation.rehearse(f"switch-{number}", force=forced, until={"traces": traces}, budget=READ_ONLY)
        rows.append(flip.compared(recording, switch, again, digest))
    flip.write(recording, rows)
    from xladoctor.saved import scan_run

    dead = [f for f in scan_run(recording.folder).findings if f.slug == "dead-switch" and f.details.get("switch")]
    return dead, list(flip_notes(read_run(recording.folder)))


def _traces(recording: Recording) -> int:
    """How many functions had been traced when the first train and predict steps were done."""
    found = flip.top_level(recording)
    done = next((e["seq"] for e in recording.of_kind(schema.REHEARSAL) if e.get("seen") == "calls"), None)
    return sum(done is None or int(t["seq"]) < done for t in found)


def _asked_for(situation: Situation, finding: Finding) -> bool:
    """Whether the study sets the switch: in its environment, or to another value than the program begins with."""
    store, _, key = str(finding.details["switch"]).partition(":")
    if store == "env":
        return key in situation.environment
    events = [e for e in situation.rehearsal.of_kind(schema.SETTING) if e["key"] == key and e["store"] != "env"]
    begun = [e["value"] for e in events if e["action"] == "default"]
    return any(e["action"] == "write" and e["value"] not in begun for e in events)


def _digest(bench: Bench) -> str | None:
    answer = bench.ask(requests.DigestGraph(), Case(None))
    return answer.result.digest if answer.ok else None


def _passed(answer: Answer[answers.Ways]) -> bool:
    return answer.ok and answer.result.ways["plain"].passed


def _why(answer: Answer[answers.Ways]) -> str:
    error = answer.result.ways["plain"].error if answer.ok else None
    return gist((error.message if error else None) or answer.message or answer.state)


def _deviation(row: answers.ComparedWays) -> float:
    return math.inf if row.deviation is None else row.deviation


def _apart(row: answers.ComparedWays) -> str:
    if row.deviation is None:
        a, b = codec.to_json(row.shapes)
        return f"{row.output} has shapes {a} and {b}"
    return f"{row.output} differs by {row.deviation:.2g} of the largest magnitude"


def _line(compared: _Compared) -> str:
    return f"{compared}: {compared.note}"
