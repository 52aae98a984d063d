"""What the formats of a trace say alike."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Location, ShapeRow
from xladoctor.model.shapes import count, python_shape, shape_text
from xladoctor.model.trace import RowDiff, StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report.facts import inside
from xladoctor.report.shapes import runtime_text
from xladoctor.report.text import line

_VERDICTS = {"broken": "CONTRACT BROKEN", "kept": "CONTRACTS KEPT", "empty": "NO SHAPES"}
OUTCOMES = {"well": "", "failed": "failed", "rows": "returned another number of rows", "eager": ""}
VALUES = {
    "exact": "the values of this call",
    "redrawn": "rows drawn again from the data of the call",
    "random": "random values",
    "none": "shapes as traced only",
}
_KINDS = {
    "state": "computed in one run only",
    "shape": "another shape",
    "violation": "breaks its contract in one run only",
    "only-in-a": "only in A",
    "only-in-b": "only in B",
}


def basis(step: TracedStep) -> str:
    """What the run-time shapes of a step rest on: the batch, and where the values came from."""
    if step.outcome == "eager":
        return "as they ran"
    parts = []
    if step.batch is not None:
        rows = f" ({step.rows_in} rows)" if step.rows_in not in (None, step.batch) else ""
        parts.append(f"batch of {step.batch}{rows}")
    if step.xla:
        parts.append("jit_compile=True")
    parts.append(VALUES[step.values])
    if step.times > 1:
        parts.append(f"called {step.times} times")
    return ", ".join(parts)


def verdict(trace: Trace) -> str:
    """The verdict in a sentence."""
    broken = sum(len(step.broken) for step in trace.steps)
    if trace.verdict == "broken":
        calls = sum(bool(step.broken) for step in trace.steps)
        return f"{count(broken, 'tensor')} in {count(calls, 'call')} broke a contract."
    if trace.verdict == "kept":
        return "No contract was broken."
    if trace.layers or trace.functions:
        seen = [count(len(trace.layers), "layer")] if trace.layers else []
        seen += [count(len(trace.functions), "traced function")] if trace.functions else []
        return f"{' and '.join(seen)}. No function is watched, so no contract was checked."
    return "There are no shapes to show."


def title(trace: Trace) -> str:
    """The verdict in one or two words."""
    if trace.verdict == "empty" and (trace.layers or trace.functions):
        return "LAYERS" if trace.layers else "FUNCTIONS"
    return _VERDICTS[trace.verdict]


def shapes(found: Sequence[object], most: int = 2) -> str:
    """`(None, 9), (None, 1)`: the shapes of a layer's inputs or outputs; `2 x (None, 9)` where all are the same."""
    told = [python_shape(s) if isinstance(s, list | tuple) else "?" for s in found]
    if len(told) > 1 and len(set(told)) == 1:
        return f"{len(told)} x {told[0]}"
    return ", ".join(told[:most]) + (f" and {len(told) - most} more" if len(told) > most else "")


def near(location: Location, trace: Trace) -> Location:
    """A place with its file relative to the folder in which the program ran, where it lies in there."""
    return inside(location, trace.environment.get("cwd"))


def differs(diff: TraceDiff) -> str:
    """What a comparison found, in a sentence."""
    rows = sum(len(step.rows) for step in diff.steps)
    same = sum(step.same for step in diff.steps)
    alone = [step for step in diff.steps if step.a is None or step.b is None]
    if diff.empty:
        return (
            "Neither run has a tensor in a watched function: nothing was compared. The rest: xladoctor report --diff."
        )
    if not diff.differs:
        return f"The runs agree: {count(same, 'tensor')} are the same by name."
    said = f"{count(rows, 'tensor')} differ{'s' if rows == 1 else ''}, {same} are the same by name."
    stand = "stands" if len(alone) == 1 else "stand"
    return said + (f" {count(len(alone), 'call')} {stand} in one run only." if alone else "")


def kinds(found: RowDiff) -> str:
    """In what a tensor differs."""
    return "; ".join(_KINDS[kind] for kind in found.kinds)


def side(row: ShapeRow | None, named: str | None) -> str:
    """A tensor in one run: its shape, the same in names, or why it has none."""
    if row is None:
        return "-"
    if row.state == "not-executed":
        return "not executed"
    shape = row.static if row.runtime is None and row.state == "static-only" else row.runtime
    if shape is None:
        return runtime_text(row)
    text = shape_text(shape)
    return text if named in (None, text) else f"{text} = {named}"


def place(row: ShapeRow) -> str:
    """A tensor's place without its module."""
    return line(row.place).rpartition(":")[2]


def sentence(found: tuple[StepDiff, RowDiff]) -> str:
    """Where a difference is, in words."""
    step, row = found
    what = "argument" if row.row.phase == "in" else "result"
    which = what if row.row.tensor == what else f"{what} {row.row.tensor}"
    said = f"{place(row.row)}, {which}, in {step.name}"
    return said + (f", layer {row.row.layer}" if row.row.layer else "")


def axes(step: TracedStep) -> Sequence[tuple[str, str, str]]:
    """(axis, value, who bound it) of a step."""
    return [(b.name, str(b.value), b.by) for b in step.bindings]
