"""The root finding of a recorded run, with what is to blame for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from xladoctor.blame import gradients
from xladoctor.blame.crash import Seen, seen
from xladoctor.blame.engine import blame
from xladoctor.blame.op_makers import ARGUMENT
from xladoctor.blame.retraced import after, with_first_seen
from xladoctor.blame.words import RAISED
from xladoctor.model.blame import Blame
from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.model.ops import IN_LOSS
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import UserSources, sources_of
from xladoctor.sources.files import Files, package_root

OF_SHAPES = frozenset(
    {
        "reshape-mismatch", "broadcast-mismatch", "concat-pack-mismatch", "matmul-conv-mismatch", "rank-mismatch",
        "slice-out-of-bounds", "index-out-of-range", "keras-input-mismatch", "weight-shape-mismatch",
        "loop-shape-mismatch", "branch-shape-mismatch", "wrong-input-key", "contract-violation",
        "dtype-mismatch",
    }
)  # fmt: skip
"""Classes whose cause is a size, a number of axes or a type."""
_OF_OTHERS = frozenset(
    {
        "unsupported-op", "compile-time-constant", "dynamic-dimension-unsupported", "data-dependent-size",
        "shape-from-value", "tensorlist-dynamic", "tensor-array-size", "array-cannot-grow", "branch-rows-differ",
        "host-op-in-jit", "resource-device", "variable-creation", "variable-in-jit", "tensor-out-of-scope",
        "loss-input-mismatch", "mixed-float-widths", "compile-failed", "not-xla",
    }
)  # fmt: skip
"""Classes of other failures of a program's own: no size, but still lines that lead to the call that failed."""
_ELSEWHERE = frozenset(
    {
        "KeyboardInterrupt", "SystemExit", "ModuleNotFoundError", "ImportError", "FileNotFoundError", "PermissionError",
        "OSError", "MemoryError", "TimeoutError", "ConnectionError", "BrokenPipeError", "SyntaxError",
    }
)  # fmt: skip
"""Exceptions whose cause is seldom a line of the program."""


def with_blame(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with suspects at its root, where the failure is one of shapes and the sources can be read."""
    diagnosis = _without_gradient(diagnosis, recording)
    case = case_of(diagnosis, recording)
    found = blame(*case) if case is not None else None
    if case is None or found is None:
        return diagnosis
    found = _silent(found) if _of_target(case[0]) else found
    told = diagnosis.with_finding(case[0], blamed(case[0], found))
    return with_first_seen(told, case[1], recording.retraced)


def _silent(found: Blame) -> Blame:
    """What is to blame where nothing was raised."""
    suspects = (replace(s, reason=_MEETS) if s.reason == RAISED else s for s in found.suspects)
    return replace(found, raised_at=None, suspects=tuple(suspects))


_MEETS = "The sizes meet here."


def _without_gradient(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the calls that pass no gradient on, where that is what ended the run."""
    root, sources = diagnosis.root, sources_of(recording)
    failure = failure_of(root, recording) if root is not None and not root.suspects else None
    if root is None or sources is None or failure is None or gradients.SAYS not in str(failure.get("message")):
        return diagnosis
    main = main_file(sources, failure, root)
    if main is None:
        return diagnosis
    found = gradients.suspects(_files(sources, main, failure), main)
    told = blamed(root, Blame(suspects=found, decisive=len(found) == 1, raised_at=root.location))
    return diagnosis.with_finding(root, told) if found else diagnosis


Case = tuple[Finding, Event | None, Files, str, Seen]


def case_of(diagnosis: Diagnosis, recording: Recording) -> Case | None:
    """What `engine.blame` is asked of a run; None where no line is looked for."""
    root = diagnosis.root
    if root is None or root.level != "error" or root.location is None or root.suspects:
        return None
    # What ended a run with paired rows is another failure, or none.
    failure = None if _of_target(root) else failure_of(root, recording)
    if root.details.get("place") or root.details.get("rows_in") is not None:
        return None  # a broken contract and lost rows have an origin of their own
    raised = str((failure or {}).get("exception"))
    if root.slug not in OF_SHAPES and not _of_target(root) and (root.slug not in _OF_OTHERS or raised in _ELSEWHERE):
        return None
    sources = sources_of(recording)
    main = main_file(sources, failure, root) if sources is not None else None
    if sources is None or main is None:
        return None
    known = _seen(recording)
    if root.op == ARGUMENT and failure is not None and failure.get("capsule"):
        known = replace(known, ops=frozenset(recording.ops(str(failure["capsule"]))))
    return root, failure, _files(sources, main, failure), main, known


def _of_target(root: Finding) -> bool:
    """Whether a loss of Keras pairs the rows of a target with all those of an output: no failure, but sizes that do
    not fit.
    """
    return root.slug == "wrong-pairing" and root.details.get("kind") == "outer" and IN_LOSS in str(root.node)


def _files(sources: UserSources, main: str, failure: Event | None) -> Files:
    """The files of a program that may be read, by the folders that it imports from."""
    frames = [str(f.get("file")) for f in (failure or {}).get("frames", ()) if f.get("user")]
    return Files(lambda name: sources.text(Path(name), followed=True)[0], _roots(sources, main, frames))


def _seen(recording: Recording) -> Seen:
    calls = (e for e in recording.of_kind(schema.CALL) if e.get("phase") == "begin")
    argv = recording.outcome.command if recording.outcome is not None else ()
    return replace(
        seen(calls, recording.of_kind(schema.MODEL), argv), after=after(recording.retraced), rows=recording.retraced
    )


def blamed(finding: Finding, found: Blame) -> Finding:
    """A finding with what is to blame: its place is that of the first suspect where the evidence is decisive."""
    first = found.suspects[0].location if found.suspects and found.decisive else finding.location
    rows = {"batching": list(found.batching)} if found.batching is not None else {}
    return replace(
        finding,
        details={**finding.details, **rows},
        location=first,
        raised_at=found.raised_at,
        constraint=found.constraint,
        provenance=found.provenance,
        suspects=found.suspects,
    )


def failure_of(root: Finding, recording: Recording) -> Event | None:
    """The recorded failure behind a finding: the one that its evidence names, else the one that ended the run."""
    raised = recording.raised
    names = {str(p.where) for p in root.evidence if p.where}
    for event in raised:
        if f"events-{event['pid']}.jsonl:{event['seq']}" in names:
            return event
    last = [e for e in raised if (e["pid"], e["failure"]) in recording.uncaught]
    return (last or raised)[-1] if raised else None


def main_file(sources: UserSources, failure: Event | None, root: Finding) -> str | None:
    """The file that the program started with."""
    frames = [f for f in (failure or {}).get("frames", ()) if f.get("user")]
    first = frames[0] if frames else None
    if first is not None and first.get("function") == "<module>":
        return str(first["file"])
    scripts: Sequence[Path] = sources.scripts
    if scripts:
        return str(scripts[0])
    return str(first["file"]) if first is not None else root.location.file if root.location is not None else None


def _roots(sources: UserSources, main: str, frames: Sequence[str]) -> tuple[str, ...]:
    scripts = [Path(main), *sources.scripts]
    known = [*(package_root(s) for s in scripts), sources.cwd, *(package_root(Path(file)) for file in frames)]
    return tuple(dict.fromkeys(str(folder) for folder in [*known, *(s.parent for s in scripts)]))
