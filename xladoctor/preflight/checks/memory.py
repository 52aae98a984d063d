"""Is there memory for the largest batch?"""

from __future__ import annotations

from xladoctor.machine import available_bytes
from xladoctor.model.element_types import byte_words
from xladoctor.model.replay import Case
from xladoctor.preflight.situation import Situation, Unanswered
from xladoctor.preflight.verdict import Verdict
from xladoctor.protocol import requests
from xladoctor.workers.classify import gist

TITLE = "memory for the largest batch"
ORDER = 70
RUNS_STEPS = True

_GIB = 1 << 30


def check(situation: Situation) -> Verdict:
    """What XLA says that each step needs (its buffers, as compiled for this machine), against what is there.

    The memory of the study's GPU is not known here: say it as memory_gib in the study file.
    """
    there = situation.study.memory_gib or available_bytes() / _GIB
    whose = "as the study file says" if situation.study.memory_gib else "free on this machine"
    lines: list[str] = []
    most = 0.0
    for stage in situation.stages:
        answer = stage.bench.ask(requests.MeasureMemory(), stage.cases[0] if stage.cases else Case(None))
        if answer.ok and answer.result.bytes is not None:
            need = answer.result.bytes / _GIB
            most = max(most, need)
            lines.append(f"{stage.name}: {byte_words(answer.result.bytes)} ({answer.result.how})")
        else:
            why = answer.message if not answer.ok else answer.result.note
            lines.append(f"{stage.name}: not known ({gist(why) or 'no answer'})")
    if not most:
        raise Unanswered(lines[0] if lines else "no step could be measured")
    said = f"the largest step needs {byte_words(round(most * _GIB))}; {there:.1f} GiB {whose}"
    if most > there:
        return Verdict("fail", said, "Take a smaller batch.", ("oom",), tuple(lines))
    if most > 0.8 * there:
        return Verdict("warn", said, "Leave some room: take a smaller batch.", ("oom",), tuple(lines))
    return Verdict("pass", said, details=tuple(lines))
