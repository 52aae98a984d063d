"""Whether a part of a step still shows a silent finding: the tests of `silent`, each on a graph with one output."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import compiled
from .errors import GraphRoomError
from .evaluate import Activation
from .ir import Graph
from .machine import RunFailed
from .measure import Array, Results, compared, is_apart
from .outcome import outcome_of
from .prefixes import is_tensorflows
from .rows import taken
from .sensitivity import tolerances
from .step import new_frames

WORSE = 10.0
"""A deviation counts if it is so many times the tolerance: what random values make of one near it is not sure."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """A graph, what it is run on, and the test: `batched` are the inputs that are taken by rows (`batch` of them), and
    `times` items of the output make a row.
    """

    graph: Graph
    arguments: Mapping[str, Array]
    test: Mapping[str, Any]
    batched: Sequence[str]
    batch: int
    times: int

    @property
    def way(self) -> str:
        """How it is run, where only one way is: plain or xla."""
        return str(self.test.get("way", "plain"))

    def run(self, way: str, arguments: Mapping[str, Array] | None = None) -> tuple[dict[str, Any], Array | None]:
        """(outcome, the output)."""
        told, found = _run(way, self.graph, self.arguments if arguments is None else arguments)
        return told, found.get("output")

    def of_rows(self, way: str, rows: Any) -> Array | None:
        """The output for these rows; None if it does not pass or has no rows."""
        _, found = self.run(way, taken(self.arguments, self.batched, np.asarray(rows)))
        return found if found is not None and found.ndim and self.batched else None

    def allowed(self, way: str, found: Array) -> float:
        """The tolerance of the output."""
        return tolerances(lambda a: _run(way, self.graph, a), self.arguments, {"output": found})["output"]


def shows(trial: Trial) -> dict[str, Any]:
    """{"shows", "slug", "deviation", "tolerance", "shapes", "raises"}; {"why"} where it does not."""
    try:
        if trial.test["kind"] == "ways":
            return _of_ways(trial)
        test = _of_size if trial.test["kind"] == "size" else _of_rows
        told = test(trial, trial.way)
        if told["shows"] and not _by_itself(trial):
            return nothing("a row by itself does not pass")
        # What XLA alone makes wrong must be right plainly, or raise.
        if told["shows"] and trial.way != "plain" and test(trial, "plain")["shows"]:
            return nothing("plain mode shows it too")
        return told
    except Exception as error:
        if not is_tensorflows(error) and not isinstance(error, GraphRoomError):
            raise
        return nothing(str(error))


def nothing(why: str) -> dict[str, Any]:
    """The answer where a finding does not show."""
    return {"shows": False, "slug": None, "deviation": None, "shapes": None, "why": why}


def _of_ways(trial: Trial) -> dict[str, Any]:
    told, expected = trial.run("plain")
    outcome, found = trial.run("xla")
    if outcome["outcome"] != "passed" or found is None:
        return nothing("XLA does not pass")
    if told["outcome"] != "passed" or expected is None:
        raises = {"shows": True, "slug": "parity-divergence", "raises": told["error"], "deviation": None}
        return {**raises, "shapes": [None, list(found.shape)]}
    return told_of(expected, found, trial.allowed("plain", expected))


def _of_rows(trial: Trial, way: str) -> dict[str, Any]:
    rows, times = np.array(trial.test["rows"]), trial.times
    whole, found = trial.of_rows(way, np.arange(trial.batch)), trial.of_rows(way, rows)
    if whole is None or found is None:
        return nothing("it does not pass")
    if len(whole) != times * trial.batch or len(found) != times * len(rows):
        return nothing("rows are lost")
    expected = whole.reshape(trial.batch, times, *whole.shape[1:])[rows].reshape(-1, *whole.shape[1:])
    return {**told_of(expected, found, trial.allowed(way, whole)), "slug": "wrong-pairing"}


def _of_size(trial: Trial, way: str) -> dict[str, Any]:
    sizes = []
    for size in (trial.test["good"], trial.test["bad"]):
        found = trial.of_rows(way, np.arange(size) % trial.batch)
        if found is None:
            return nothing("it does not pass")
        sizes.append(len(found))
    right = sizes[0] == trial.times * trial.test["good"]
    lost = sizes[1] != trial.times * trial.test["bad"]
    return {"shows": right and lost, "slug": "wrong-shape-silent", "deviation": None, "shapes": [[n] for n in sizes]}


def _by_itself(trial: Trial) -> bool:
    """Whether single rows give what a row should: what the script takes as its control."""
    found = [trial.of_rows(trial.way, [row]) for row in (0, trial.batch - 1)]
    return all(value is not None and len(value) == trial.times for value in found)


def _run(way: str, graph: Graph, arguments: Mapping[str, Array]) -> tuple[dict[str, Any], Results]:
    (output,) = graph.outputs
    own = new_frames()

    def run() -> Mapping[str, Any]:
        if way == "xla":
            return {output: np.asarray(compiled.run_compiled(graph, arguments)[0])}
        activation = Activation(own, graph, arguments)
        activation.fetch([output])
        return activation.values

    try:
        return outcome_of({"output": output}, run)
    finally:
        own.machine.close()


def outputs_of(graph: Graph, arguments: Mapping[str, Array]) -> list[Array] | None:
    """All outputs of a graph, run plainly; None if it fails."""
    own = new_frames()
    activation = Activation(own, graph, arguments)
    try:
        activation.fetch(list(graph.outputs))
    except RunFailed:
        return None
    finally:
        own.machine.close()
    return [np.asarray(activation.values[t]) for t in graph.outputs]


def told_of(expected: Array, found: Array, tolerance: float) -> dict[str, Any]:
    """The answer for two arrays that should be the same."""
    row = compared("output", expected, found, tolerance)
    slug = "wrong-shape-silent" if row["deviation"] is None else "parity-divergence"
    far = row["deviation"] is None or row["deviation"] == "inf" or row["deviation"] > WORSE * tolerance
    return {
        "shows": is_apart(row) and far,
        "slug": slug,
        "deviation": row["deviation"],
        "tolerance": tolerance,
        "shapes": row["shapes"],
    }
