"""A trace as JSON (`xladoctor.trace/1`), and two traces side by side (`xladoctor.trace-diff/1`)."""

from __future__ import annotations

import json
from typing import Any

from xladoctor.model.trace import StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report.json_ import plain

_FIRST = ("schema", "tool_version")


def render(trace: Trace) -> str:
    """The JSON text, with a line break at its end."""
    return _text(trace)


def render_diff(diff: TraceDiff) -> str:
    """The JSON text. Of each step the summary of both runs and the tensors that differ; the rest is in the traces."""
    data = {**plain(diff), "differs": diff.differs, "steps": [_step(step) for step in diff.steps]}
    return _text(data)


def _step(step: StepDiff) -> dict[str, Any]:
    return {
        "name": step.name,
        "a": _summary(step.a),
        "b": _summary(step.b),
        "same": step.same,
        "rows": plain(step.rows),
        "notes": list(step.notes),
    }


def _summary(step: TracedStep | None) -> dict[str, Any] | None:
    if step is None:
        return None
    kept = ("name", "outcome", "values", "batch", "rows_in", "times", "function", "xla", "capsule", "pid", "location")
    return {key: plain(getattr(step, key)) for key in kept}


def _text(value: Any) -> str:
    data = plain(value)
    ordered = {key: data[key] for key in _FIRST} | {k: v for k, v in data.items() if k not in _FIRST}
    return json.dumps(ordered, indent=1, allow_nan=False) + "\n"
