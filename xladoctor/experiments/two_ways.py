"""After a run that ended well: do both ways of a function that a switch about how chooses from give the same?

A worker calls both on made-up arguments. Only what computes and does nothing else is cut out of the program
(`sources.two_ways`).
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from xladoctor import protocol
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.two_ways import REQUEST
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.experiments.budget import Budget
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.names import nodes_of
from xladoctor.sources.two_ways import TwoWays, Way, trials, two_ways

if TYPE_CHECKING:
    from xladoctor.workers.worker import Worker

_MOST = 8
_TRIALS = 16


def to_compare(recording: Recording) -> list[TwoWays]:
    """The functions of a run that used TensorFlow."""
    if not (survived(recording) or ended_itself(recording)) or not recording.of_kind(schema.TRACE):
        return []
    return list(two_ways(program_of(recording)))


def answers(
    worker: Worker,
    recording: Recording,
    found: Sequence[TwoWays],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[WorkerAnswer]:
    """An answer for each function that could be called, as `worker.jsonl` keeps it."""
    traced = {str(t.get("python_name")) for t in recording.of_kind(schema.TRACE)}

    def taken(one: TwoWays) -> Way | None:
        """The way that the run took: what was traced of one way alone shows it."""
        used = [w for w in (one.on, one.off) if any(f.name in traced for _, f in w.own)]
        return used[0] if len(used) == 1 else None

    def ask(one: TwoWays, left: float) -> protocol.answers.TwoWays:
        way = taken(one)
        texts = tuple(text for *_, text in islice(trials(way), _TRIALS)) if way is not None else ()
        request = protocol.requests.CompareTwoWays(
            on=one.on.text, off=one.off.text, name=one.name, count=len(one.parameters),
            taken="off" if way is one.off else "on", trials=texts,
        )  # fmt: skip
        return worker.ask(request, timeout=left)

    for one, told, _ in Budget(worker, seconds, clock).each(found, ask, _MOST):
        if told is not None:
            way = taken(one)
            file, line, function = _place(one, way)
            if way is not None and len(told.agreeing) == 1:
                file, line, function, _ = next(islice(trials(way), told.agreeing[0], None))
            known = {
                "function": one.name, "switch": one.switch, "parameters": list(one.parameters), "file": one.file,
                "where": {"file": file, "line": line, "function": function}, "dispatch": one.line,
            }  # fmt: skip
            yield WorkerAnswer(one.name, REQUEST, {**known, **protocol.codec.to_json(told)})


def _place(one: TwoWays, way: Way | None) -> tuple[str, int, str]:
    """The line at which a way takes the parts of an argument; the switch where it is not known which way was taken."""
    for file, function in way.own if way is not None else ():
        parts = [n.lineno for n in nodes_of(function, ast.Subscript) if _is_part(n)]
        if parts:
            return file, min(parts), function.name
    return one.file, one.line, one.name


def _is_part(node: ast.Subscript) -> bool:
    """`t[:, 0]`, `shift[..., 1]`: one component of a name."""
    axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else ()
    return any(isinstance(a, ast.Constant) and a.value in (0, 1) for a in axes) and isinstance(node.value, ast.Name)
