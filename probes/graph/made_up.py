"""A step on made-up data: which rows each of its tensors depends on, whatever the values of the run were."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from .load import batch_of, load
from .measure import Array
from .row_sets import RowSets, batched, row_sets
from .step import Step, frames_once, prepare


def made_up(folder: Path, rows: int, foreign: bool, least: int) -> tuple[Step, RowSets] | None:
    """The row sets at a batch size, with made-up integers from `least` on: a length is never 0."""
    program = load(folder)
    opened = [i for i in program.inputs if i.role == "argument" and (i.shape is None or i.shape[:1] == (None,))]
    step = prepare(program, batch=rows, foreign=foreign)
    data = [i for i in step.pure.graph.inputs if i.role == "data"]
    if not opened and not any(i.shape is None or i.shape[:1] == (None,) for i in data):
        # Traced for one size: that of most of its arguments.
        rows = _static_rows(step) or batch_of(program)
    arguments = {n: np.asarray(v) for n, v in step.arguments.items()}
    made_up = [f"{i.name}:0" for i in step.pure.graph.inputs if (i.label or i.name) in step.filled]
    for name in made_up if least else ():
        if arguments[name].dtype.kind in "iu":
            arguments[name] = arguments[name] + arguments[name].dtype.type(least)
    for item in step.pure.graph.inputs:
        if item.role == "variable" and (item.label or item.name) in step.filled:
            arguments[f"{item.name}:0"] = _small(arguments[f"{item.name}:0"])
    step = dataclasses.replace(step, arguments=arguments)
    inputs = batched(step.pure.graph.inputs, arguments, rows)
    if not inputs or rows < 2:
        return None
    with frames_once() as frames:
        return step, row_sets(step, frames, rows, inputs)


def _small(weights: Array) -> Array:
    """Made-up weights with which no unit saturates: its result is about as large as its inputs are."""
    if weights.ndim < 2 or weights.dtype.kind != "f":
        return weights
    return np.asarray(2.0 * weights / max(int(np.prod(weights.shape[:-1])), 1), weights.dtype)


def _static_rows(step: Step) -> int | None:
    shapes = [i.shape for i in step.pure.graph.inputs if i.role in ("argument", "data") and i.shape]
    leading = [s[0] for s in shapes if s[0] is not None and s[0] > 1]
    return max(leading, key=leading.count) if leading else None
