"""What only passes a failure on: papermill, nbconvert, a launcher that quotes a worker's error, `raise ... from`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xladoctor.diagnosis.facts import Step
from xladoctor.diagnosis.handling import parents, raised_for_worker
from xladoctor.recording.schema import schema

_CODES = re.compile(r"\x1b\[[0-9;]*m")
# Shorter texts ("error", "1") stand in other messages by chance.
_LONG = 24
_MOST = 256
# What a runner of notebooks raises for a cell that failed in its kernel.
_RELAYS = frozenset({"CellExecutionError", "PapermillExecutionError", "CellTimeoutError", "DeadKernelError"})
# What the recorder keeps of a message in a chain.
_CHAINED = 2000


def relayed(steps: Sequence[Step]) -> dict[int, Step]:
    """{id of a step that is a relay: the step whose failure it quotes, or was raised from}."""
    found: dict[int, Step] = {}
    # A relay ends with what it passes on: of very many failures the last ones are compared.
    failed = [step for step in steps if step.failure is not None][-_MOST:]
    texts = [(step, (step.failure or {})["pid"], _plain(step), _last_line(step)) for step in failed]
    for step, pid, text, _ in texts:
        origin = _came_of(step, failed) or _of_child(step, failed)
        if origin is not None:
            found[id(step)] = origin
            continue
        relays = (step.failure or {}).get("exception") in _RELAYS
        for other, its, whole, last in texts:
            if its != pid and relays:
                found[id(step)] = other
                break
            # Both may end alike; the one that quotes says more.
            if its != pid and len(last) >= _LONG and last in text and len(text) > len(whole):
                found[id(step)] = other
                break
    return found


def _came_of(step: Step, steps: Sequence[Step]) -> Step | None:
    """The step whose exception this one was raised from, the first of a chain."""
    failure = step.failure
    if failure is None:
        return None
    chain = {(link.get("exception"), link.get("message")) for link in failure.get("chain") or ()}
    for other in steps:
        link = other.failure or {}
        earlier = link.get("pid") == failure["pid"] and link["seq"] < failure["seq"]
        if earlier and (link.get("exception"), str(link.get("message"))[:_CHAINED]) in chain:
            return other
    return None


def _of_child(step: Step, steps: Sequence[Step]) -> Step | None:
    """The step that ended a child process, where this one was raised since a child had failed: `subprocess` raised it
    for that child's command, or the program raised it under a test of how its workers ended.
    """
    failure, recording = step.failure, step.recording
    if failure is None or not step.ended_run:
        return None
    above = parents(recording)
    children = [s for s in steps if s.ended_run and above.get((s.failure or {}).get("pid", -1)) == failure["pid"]]
    if failure.get("exception") == "CalledProcessError":
        words = {e["pid"]: [str(w) for w in e.get("argv") or ()][1:] for e in recording.of_kind(schema.START)}
        said = str(failure.get("message"))
        asked = [s for s in children if all(w in said for w in words.get((s.failure or {})["pid"], ()))]
        return asked[-1] if asked else None
    return children[-1] if children and raised_for_worker(failure, recording) else None


def _plain(step: Step) -> str:
    return " ".join(_CODES.sub("", str((step.failure or {}).get("message", ""))).split())


def _last_line(step: Step) -> str:
    lines = [line.strip() for line in _CODES.sub("", str((step.failure or {}).get("message", ""))).splitlines()]
    return " ".join(next((line for line in reversed(lines) if line), "").split())
