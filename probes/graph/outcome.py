"""Running a whole step, plainly or through XLA, and setting both results side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import compiled
from .evaluate import Frames
from .ir import Graph
from .machine import Handle, RunFailed, Value
from .measure import Results
from .measure import deviation as deviation
from .optionals import has_optionals, unwrap
from .step import Step, new_frames
from .transform import truncate

_MESSAGE = 4000
_NO_VALUE = (20, 21)  # resource, variant


def run_plain(step: Step, frames: Frames | None = None) -> tuple[dict[str, Any], Results]:
    """({"outcome", "seconds", "outputs", "error"}, the arrays) of the step with the graph optimizer off."""
    wanted = results_of(step)
    activation = step.activation(frames or new_frames())

    def run() -> Mapping[str, Value]:
        activation.fetch(list(wanted.values()), step.pure.graph.controls)
        return activation.values

    return outcome_of(wanted, run)


def run_xla(step: Step) -> tuple[dict[str, Any], Results]:
    """The same through XLA, as one program. The step must be strictly pure, and should have kept its calls."""
    wanted = results_of(step)

    def run() -> Mapping[str, Value]:
        values = compiled.run_compiled(closed(step), step.arguments)
        return dict(zip(wanted.values(), values, strict=True))

    told, arrays = outcome_of(wanted, run)
    return {**told, "note": traced_otherwise(step)}, arrays


def lowered(step: Step, *, platform: str = "cpu", stage: str = "hlo") -> str:
    """HLO text of the step, its assigned variables among the results."""
    return compiled.lower(closed(step), step.arguments, platform=platform, stage=stage)


def closed(step: Step) -> Graph:
    """The pure graph with all results as outputs, and nothing that they do not need."""
    return unwrap(truncate(step.pure.graph, list(results_of(step).values())))


def traced_otherwise(step: Step) -> str | None:
    """A warning where the step was traced without XLA and that shows in its graph, else None."""
    if not has_optionals(step.pure.graph):
        return None
    return (
        "the step was traced without XLA, where TensorFlow builds the gradients of branches and loops in another way; "
        "a refusal may not arise when it is traced with jit_compile=True"
    )


def compare(plain: Results, xla: Results) -> list[dict[str, Any]]:
    """[{"output", "plain", "xla" (shapes or null), "deviation"}]: the largest difference over the largest magnitude.

    None where the shapes differ or a side is missing. Values that are not finite must agree in kind and
    place, else the deviation is infinite ("inf" in JSON is written as a string).
    """
    rows = []
    for name in {**plain, **xla}:
        a, b = plain.get(name), xla.get(name)
        row: dict[str, Any] = {
            "output": name,
            "plain": None if a is None else list(a.shape),
            "xla": None if b is None else list(b.shape),
            "deviation": None,
        }
        if a is not None and b is not None and a.shape == b.shape:
            found = deviation(a, b)
            row["deviation"] = found if np.isfinite(found) else "inf"
        rows.append(row)
    return rows


def results_of(step: Step) -> dict[str, str]:
    """{name to report: flat tensor}: the outputs by number, then the variables that the step assigns."""
    graph = step.pure.graph
    outputs = [t for t in graph.outputs if graph.dtype(t) not in _NO_VALUE]
    labels = {i.name: i.label or i.name for i in graph.inputs}
    found = {f"output {i}": t for i, t in enumerate(outputs)}
    for variable, tensor in step.pure.finals.items():
        name = f"variable {labels[variable]}"
        found[name if name not in found else f"{name} ({variable})"] = tensor
    return found


def outcome_of(wanted: Mapping[str, str], run: Callable[[], Mapping[str, Value]]) -> tuple[dict[str, Any], Results]:
    """The outcome of a call of `run`, which gives flat tensors, under the names of `wanted`."""
    start = time.perf_counter()
    error: Exception | None = None
    values: Mapping[str, Value] = {}
    try:
        values = run()
    except RunFailed as failed:
        error = failed.error
    except Exception as failed:
        if not type(failed).__module__.startswith("tensorflow"):
            raise
        error = failed
    seconds = time.perf_counter() - start
    found = {n: values[t] for n, t in wanted.items() if t in values}
    arrays = {n: np.asarray(v) for n, v in found.items() if not isinstance(v, Handle)}
    return {
        "outcome": "passed" if error is None else "failed",
        "seconds": round(seconds, 6),
        "outputs": [
            {"output": n, "shape": list(v.shape), "dtype": str(v.dtype), "finite": _finite(v)}
            for n, v in arrays.items()
        ],
        "missing": [n for n in wanted if n not in arrays] if error is None else [],
        "error": None if error is None else {"kind": type(error).__name__, "message": str(error)[:_MESSAGE]},
    }, arrays


def _finite(array: np.ndarray[Any, Any]) -> bool | None:
    """Whether all values are finite numbers; None for what has no such question."""
    return bool(np.isfinite(array).all()) if array.dtype.kind in "fc" else None
