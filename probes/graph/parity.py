"""The same step in different ways: plainly by value, as one XLA program, on other rows, against results kept in a file.

The plain run, its graph optimizer off, is what the others are held against: every op does there what its kernel says,
nothing is rewritten.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import compiled, rows
from .batches import with_batch
from .deviation_map import add_maps
from .diverge import Search
from .errors import GraphRoomError
from .evaluate import Frames
from .failing import failing_op
from .load import batch_of, load, without_values
from .measure import Array, Results, compared, is_apart
from .outcome import closed, outcome_of, results_of, run_plain, traced_otherwise
from .randomness import behind, drawn
from .results_file import keep, kept
from .sensitivity import Run, tolerances
from .step import Step, new_frames, prepare, with_values

PLAIN, XLA = "plain", "xla"
_BY_BATCH = ("moving_mean", "moving_variance")


class Ways:
    """A capsule at a batch size, run in several ways; what was run is kept."""

    def __init__(self, folder: Path, *, batch: int | None = None, foreign: bool = False, values: bool = True) -> None:
        program, self.no_batch = with_batch(load(folder))
        self.program = program if values else without_values(program)
        self._batch = batch
        self._foreign = foreign
        self.step: Step = prepare(self.program, batch=batch, foreign=foreign)
        self.frames: Frames = new_frames()
        self._tensors = results_of(self.step)
        self.arguments: dict[str, Array] = {n: np.asarray(v) for n, v in self.step.arguments.items()}
        self._strict: dict[str, tuple[Step, Any, list[str]]] = {}
        self._known: dict[str, tuple[dict[str, Any], Results]] = {}
        self._allowed: dict[str, float] | None = None
        self.compilations = 0

    def close(self) -> None:
        """Give the session's memory back."""
        self.frames.machine.close()

    def on(self, values: Mapping[str, Array]) -> Ways:
        """The same on the values of another call; what was imported and is compiled, now or later, is shared."""
        return self._at(with_values(self.step, values))

    def _at(self, step: Step) -> Ways:
        other = copy.copy(self)
        other.step = step
        other.arguments = {n: np.asarray(v) for n, v in step.arguments.items()}
        other._known, other._allowed = {}, None
        return other

    # -- each way, on any arguments

    def plain(self, arguments: Mapping[str, Array]) -> tuple[dict[str, Any], Results]:
        """The step by value."""
        return run_plain(dataclasses.replace(self.step, arguments=arguments), self.frames)

    def xla(self, arguments: Mapping[str, Array]) -> tuple[dict[str, Any], Results]:
        """The step as one XLA program; a refusal of the graph room is an outcome too ("refused")."""
        try:
            if XLA not in self._strict:
                step = prepare(self.program, batch=self._batch, foreign=self._foreign, calls=False, strict=True)
                self._strict[XLA] = (step, *compiled.function_of(closed(step)))
        except GraphRoomError as error:
            return {"outcome": "refused", "error": {"kind": type(error).__name__, "message": str(error)}}, {}
        step, function, names = self._strict[XLA]
        wanted = results_of(step)
        self.compilations += 1

        def run() -> Mapping[str, Any]:
            values = [compiled.array_of(v) for v in function(*compiled.values_of(arguments, names))]
            return dict(zip(wanted.values(), values, strict=True))

        told, arrays = outcome_of(wanted, run)
        return {**told, "note": traced_otherwise(step)}, arrays

    @property
    def recorded_xla(self) -> bool:
        """Whether the step itself was one XLA program when it was recorded."""
        return self.program.xla

    def drawn(self) -> tuple[dict[str, str], dict[str, str]]:
        """The nodes that draw numbers (`randomness.drawn`)."""
        return drawn(self.step.pure.graph)

    def tensor(self, output: str) -> str:
        """The flat tensor of a result."""
        return self._tensors[output]

    def tolerances_on(self, arguments: Mapping[str, Array]) -> dict[str, float]:
        """The tolerance of each output of the plain run on other arguments."""
        told, results = self.plain(arguments)
        return tolerances(self.plain, arguments, results) if told["outcome"] == "passed" else {}

    def of(self, way: str) -> tuple[dict[str, Any], Results]:
        """The outcome and the results of a way on the capsule's own values."""
        if way not in self._known:
            self._known[way] = self._way(way)(self.arguments)
        return self._known[way]

    def _way(self, way: str) -> Run:
        return {PLAIN: self.plain, XLA: self.xla}[way]

    def allowed(self, way: str = PLAIN) -> dict[str, float]:
        """The tolerance of each output (`sensitivity`), by the plain way, or by another where that one fails."""
        if self._allowed is None:
            told, results = self.of(way)
            passed = told["outcome"] == "passed"
            self._allowed = tolerances(self._way(way), self.arguments, results) if passed else {}
        return self._allowed

    # -- questions

    def compare(
        self, ways: Sequence[str], save: Path | None, against: Iterable[Sequence[str]], save_way: str = PLAIN
    ) -> dict[str, Any]:
        """Outcomes, and each way against the plain one; {"save"} keeps the results of a way, the plain one if no other
        is named; {"against"} are [way, file] pairs of results that were kept so, by this or another process.
        """
        told: dict[str, Any] = {"ways": {}, "agreements": [], "problems": []}
        results: dict[str, Results] = {}
        for way in dict.fromkeys((PLAIN, *ways)):
            outcome, found = self.of(way)
            told["ways"][way] = {k: outcome.get(k) for k in ("outcome", "error", "seconds", "note", "missing")}
            if outcome["outcome"] == "passed":
                results[way] = found
        for way, file in against:
            results[way] = kept(Path(file))
            told["ways"][way] = {"outcome": "passed", "error": None}
        if save is not None and save_way in results:
            keep(save, results[save_way])
        free, seeded = self._drawn()
        base = results.get(PLAIN)
        allowed = self.allowed() if base is not None else {}
        for way, found in results.items():
            for name in {**base, **found} if base is not None and way != PLAIN else ():
                if name in free:
                    continue
                row = compared(name, base.get(name), found.get(name), allowed.get(name))  # type: ignore[union-attr]
                told["agreements"].append(
                    {**row, "ways": [PLAIN, way], "apart": is_apart(row), "seeded": name in seeded}
                )
        add_maps(told["agreements"], results)
        return {**told, **self._facts(), "left_out": sorted(free)}

    def rows(self, way: str) -> dict[str, Any]:
        """`rows.check` of one way; {"skipped": why} where nothing can be said."""
        outcome, results = self.of(way)
        batched, other_sizes, why = self.batched()
        if why is None and outcome["outcome"] != "passed":
            why = f"the step does not pass ({way})"
        if why is None and self.by_batch():
            why = (
                "batch normalisation in training: its mean and variance are those of the batch, so a row is meant to "
                "depend on the others"
            )
        if why is not None:
            return {"skipped": why, **self._facts()}
        free, seeded = self._drawn()
        told = rows.check(
            self._way(way),
            self.arguments,
            batched,
            results,
            {**dict.fromkeys(results, 0.0), **self.allowed(way)},
            other_sizes=other_sizes,
            left_out=[*free, *seeded, *(n for n in results if n.startswith("variable "))],
        )
        labels = self._labels()
        told["depends"] = [{**d, "input": labels.get(d["input"], d["input"])} for d in told["depends"]]
        return {
            **told,
            **self._facts(),
            "inputs": [labels.get(n, n) for n in batched],
            "other_sizes": other_sizes,
            "left_out": sorted({*free, *seeded}),
        }

    def first_node(self, outputs: Sequence[str], seconds: float | None = None) -> dict[str, Any]:
        """{"node": where plain mode and XLA part on the way to these outputs, or None, "checked", "unchecked",
        "error"}; where the plain way fails, the op at which it does. A search that takes more than `seconds` has none.
        """
        if self.of(PLAIN)[0]["outcome"] != "passed":
            return {"node": failing_op(self.step, self.frames), "checked": 0, "unchecked": [], "error": None}
        search = Search(self.step, self.frames, seconds)
        error = None
        node = None
        try:
            node = search.first([self._tensors[n] for n in outputs if n in self._tensors])
        except GraphRoomError as refused:
            error = str(refused)
        except Exception as failed:
            if not type(failed).__module__.startswith("tensorflow"):
                raise
            error = f"{type(failed).__name__}: {failed}"[:600]
        if node is None and search.ended_early:
            error = f"only {search.checked} of the ops that differ were looked at"
        return {
            "node": node,
            "checked": search.checked,
            "unchecked": search.unchecked[:8],
            "error": error,
            "compilations": search.compilations,
        }

    # -- inside

    def _facts(self) -> dict[str, Any]:
        graph = self.step.pure.graph
        free, seeded = drawn(graph)
        return {
            "batch": self._batch or batch_of(self.program),
            "filled": list(self.step.filled),
            "random": {"free": _named(free), "seeded": _named(seeded)},
            "compilations": self.compilations,
            "not_run": dict(list(self.step.left_out.items())[:8]),
        }

    def _drawn(self) -> tuple[set[str], set[str]]:
        """(results that depend on numbers drawn freely, those that depend on numbers of a given seed)."""
        graph = self.step.pure.graph
        free, seeded = drawn(graph)
        return set(behind(graph, free, self._tensors)), set(behind(graph, seeded, self._tensors))

    def batched(self) -> tuple[list[str], bool, str | None]:
        """(the inputs that have the batch as leading axis, whether it is open, why there are none)."""
        data = [
            i for i in self.step.pure.graph.inputs if i.role in ("argument", "data") and f"{i.name}:0" in self.arguments
        ]
        size = self._batch or batch_of(self.program)
        opened = [i for i in data if i.shape is None or (i.shape and i.shape[0] is None)]
        chosen = opened or [i for i in data if i.shape and i.shape[0] == size]
        names = [f"{i.name}:0" for i in chosen if self.arguments[f"{i.name}:0"].ndim]
        lengths = {len(self.arguments[n]) for n in names}
        if not names:
            return [], False, "no input has the batch as its leading axis"
        if len(lengths) > 1:
            return [], False, f"the inputs have different numbers of rows: {', '.join(map(str, sorted(lengths)))}"
        return names, bool(opened), None

    def by_batch(self) -> bool:
        """Whether rows are meant to depend on each other: batch normalisation in training."""
        return any(name.endswith(_BY_BATCH) or f"{_BY_BATCH[0]}:" in name for name in self._tensors)

    def _labels(self) -> dict[str, str]:
        return {f"{i.name}:0": i.label or i.name for i in self.step.pure.graph.inputs}


def _named(nodes: Mapping[str, str]) -> list[str]:
    return [f"{op} ({node})" for node, op in list(nodes.items())[:8]]
