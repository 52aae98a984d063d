"""The stacks of a failure: the exception as it was raised, and the lines that made the op that failed.

TensorFlow's "Stack trace for op definition" is that of whoever traced a function *first*; the call that failed is known
from the graph. Both are told, each as what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.model.diagnosis import CallStack, StackFrame
from xladoctor.model.evidence import ErrorRecord, Frame, LogEvidence
from xladoctor.model.ops import WorkerOp

if TYPE_CHECKING:
    from xladoctor.diagnosis.facts import Step

_FIRST_TRACE = "of whoever traced the function first; the node names show the call that failed"


def stacks(step: Step | None, log: LogEvidence) -> tuple[CallStack, ...]:
    """Every stack that is known of the failure (of the last error of the log, where nothing was recorded)."""
    record = _decisive(log)
    return tuple(stack for stack in _stacks(step, record, log) if stack.frames)


def _stacks(step: Step | None, record: ErrorRecord | None, log: LogEvidence) -> Iterator[CallStack]:
    failure = step.failure if step is not None else None
    if failure is not None:
        printed = {(f.file, f.line): f for r in log.records for f in r.frames if f.code}
        frames = tuple(_recorded(f, printed) for f in failure.get("frames") or ())
        where = f"events-{failure['pid']}.jsonl:{failure['seq']}"
        yield CallStack("exception", str(failure.get("exception") or "the exception"), frames, where)
    elif record is not None and step is None:
        yield CallStack("exception", record.exception or "the error", _logged(record.frames), record.where or None)
    op = step.failing_op if step is not None else None
    if op is not None:
        name = _name(op)
        calls = op.call_sources
        own = _made(op.sources)
        if calls:
            yield CallStack("call", name, _made(calls[-1]), "worker.jsonl")
        yield CallStack("definition", name, own, "worker.jsonl", _FIRST_TRACE if calls else None)
    elif record is not None and (step is None or failure is not None):
        node = next(iter(record.nodes), "the op")
        yield CallStack("definition", node, _logged(record.op_frames), record.where or None, _FIRST_TRACE)
    birth = step.birth if step is not None else None
    if birth is not None:
        yield CallStack("birth", _name(birth), _made(birth.sources), "worker.jsonl")


def _name(op: WorkerOp) -> str:
    """The op's type, and its node where that says more."""
    node = op.inner_node or op.node
    return op.op if node in ("", op.op) else f"{op.op} {node}"


def _decisive(log: LogEvidence) -> ErrorRecord | None:
    """The error that ended the run, else the last one that has a stack."""
    errors = [r for r in log.records if r.level == "error" and (r.frames or r.op_frames)]
    return next((r for r in reversed(errors) if r.ended_run), errors[-1] if errors else None)


def _recorded(frame: dict[str, Any], printed: dict[tuple[str, int | None], Frame]) -> StackFrame:
    file, line = str(frame.get("file")), frame.get("line")
    known = printed.get((file, line))
    code, marks = (known.code, known.marks) if known is not None else (None, None)
    return StackFrame(file, line, frame.get("function"), bool(frame.get("user")), code, marks)


def _logged(frames: Sequence[Frame]) -> tuple[StackFrame, ...]:
    return tuple(StackFrame(f.file, f.line, f.function, f.user, f.code, f.marks) for f in frames)


def _made(frames: Sequence[Sequence[Any]] | None) -> tuple[StackFrame, ...]:
    """Frames as a worker tells them: [file, line, function], innermost last."""
    # A log alone has none of these, and should not wait for what reads recorded runs.
    from xladoctor.diagnosis.facts import is_user_file

    return tuple(StackFrame(str(f[0]), f[1], f[2], is_user_file(str(f[0]))) for f in frames or () if len(f) > 2)
