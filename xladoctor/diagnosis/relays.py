"""A process that only passes on how its child failed: papermill, nbconvert, a launcher that quotes a worker's error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xladoctor.diagnosis.facts import Step

_CODES = re.compile(r"\x1b\[[0-9;]*m")
# Shorter texts ("error", "1") stand in other messages by chance.
_LONG = 24
_MOST = 256


def relayed(steps: Sequence[Step]) -> dict[int, Step]:
    """{id of a step that is a relay: the step whose failure it quotes}; they are of two processes."""
    found: dict[int, Step] = {}
    failed = [(step, step.failure["pid"]) for step in steps if step.failure is not None]
    if len({pid for _, pid in failed}) < 2:
        return found
    # A relay ends with what it passes on: of very many failures the last ones are compared.
    texts = [(step, pid, _plain(step), _last_line(step)) for step, pid in failed[-_MOST:]]
    for step, pid, text, _ in texts:
        for other, its, whole, last in texts:
            # Both may end alike; the one that quotes says more.
            if its != pid and len(last) >= _LONG and last in text and len(text) > len(whole):
                found[id(step)] = other
                break
    return found


def _plain(step: Step) -> str:
    return " ".join(_CODES.sub("", str((step.failure or {}).get("message", ""))).split())


def _last_line(step: Step) -> str:
    lines = [line.strip() for line in _CODES.sub("", str((step.failure or {}).get("message", ""))).splitlines()]
    return " ".join(next((line for line in reversed(lines) if line), "").split())
