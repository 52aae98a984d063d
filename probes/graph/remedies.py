"""A step with a remedy applied: does it pass, are its numbers still right, and how fast is it.

The numbers are held against a reference: that of the user's own, where there is one; else the plain run of the whole
batch, where that passes and is not itself what is in question; else, for outputs that have the batch as leading axis,
the same rows, each run plainly and alone. A remedy that only makes an error go away is seen so.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import compiled, rows
from .errors import Unsupported
from .evaluate import Frames
from .measure import MAX_ROWS, Array, Results, as_json, compared, is_apart
from .optionals import unwrap
from .outcome import closed, outcome_of, results_of, run_plain
from .parity import PLAIN, XLA, Ways
from .parts import Parts, in_bodies, outermost
from .results_file import kept
from .sensitivity import Run
from .step import Step, new_frames, prepare
from .transform import cut_name, truncate

RECORDED = "recorded"
_CALLS = 5
_WITHOUT = "what asked for XLA within a loop or a branch ran without it"
Told = tuple[dict[str, Any], Results]


class Remedies:
    """Applies remedies to the step of some `Ways`; `way` is "plain", "xla" (as one program) or "recorded": with XLA
    exactly where the program asked for it.

    `by_row` says that a result with an axis of rows should have one for each row of the arguments; `given` is a file
    with results that come first as the reference.
    """

    def __init__(
        self,
        ways: Ways,
        way: str,
        *,
        batch: int | None,
        foreign: bool,
        by_row: bool = False,
        given: Path | None = None,
    ) -> None:
        self._ways = ways
        graph = ways.step.pure.graph
        xla = ways.recorded_xla or bool(outermost(graph))
        self._without = way == RECORDED and not ways.recorded_xla and in_bodies(graph)
        self._way = PLAIN if way == RECORDED and not xla else way
        self._parts = Parts()
        self._around: dict[str, Parts] = {}
        self._batch = batch
        self._foreign = foreign
        self._by_row = by_row
        self._given = given
        self._by_rows = 0
        self._arguments = ways.arguments
        self._batched, self._open, self._why = ways.batched()
        self._bound: Callable[[], Told] | None = None
        self._outside_of: dict[str, tuple[Callable[..., Any], list[str]]] = {}
        self._reference: tuple[Results, dict[str, float], float | None] | None = None
        self._kinds: dict[str, Callable[[Mapping[str, Any]], Told]] = {
            "as-is": lambda _: self._run(self._arguments),
            "jit-off": lambda _: ways.plain(self._arguments),
            "static-size": self._static,
            "pad": self._padded,
            "chunks": self._chunks,
            "drop": self._dropped,
            "move-outside": self._outside,
            "kept": lambda apply: ({"outcome": "passed", "error": None}, kept(Path(str(apply["file"])))),
        }

    def apply(self, apply: Mapping[str, Any]) -> dict[str, Any]:
        """{"outcome", "error", "deviation", "tolerance", "apart": [outputs], "missing": rows without a result, "lost":
        [results with other rows than they should have], "compared": number of outputs, "outputs" and "results" of the
        reference and of the step, "alone": how many of the reference are of rows alone, "seconds" of a later run,
        "reference_seconds"} of {"kind", ...}.
        """
        kind = self._kinds.get(str(apply.get("kind")))
        if kind is None:
            raise Unsupported(f"remedy {apply.get('kind')!r}; known are {', '.join(self._kinds)}")
        told, results = kind(apply)
        found: dict[str, Any] = {k: told.get(k) for k in ("outcome", "error", "note")}
        if told["outcome"] != "passed":
            return found
        if self._without and apply.get("kind") != "jit-off":
            found["held"] = _WITHOUT
        seconds = _best(lambda: kind(apply))
        held = self._held(results)
        held["lost"] = [*told.get("lost", ()), *held["lost"]][:MAX_ROWS]
        return {**found, **held, "seconds": None if apply.get("kind") == "kept" else round(seconds, 6)}

    # -- the remedies

    def _run(self, arguments: Mapping[str, Array]) -> Told:
        """The step as it stands, on any arguments."""
        if self._way == XLA:
            return self._ways.xla(arguments)
        told, results = self._ways.plain(arguments)
        if self._way == PLAIN or told["outcome"] != "passed":
            return told, results
        if self._ways.recorded_xla:
            return self._ways.xla(arguments)
        return self._parts.run(dataclasses.replace(self._ways.step, arguments=arguments), self._ways.frames)

    def _static(self, _: Mapping[str, Any]) -> Told:
        """The signature bound to this number of rows, so that TensorFlow infers every shape from it."""
        if self._bound is None:
            size = self._batch or (len(self._arguments[self._batched[0]]) if self._batched else None)
            xla = self._as_one()
            step = prepare(
                self._ways.program, batch=size, static=True, foreign=self._foreign, calls=not xla, strict=xla
            )
            step = dataclasses.replace(step, arguments=self._arguments)
            if xla:
                self._bound = _as_xla(step)
            else:
                self._bound = functools.partial(_in_parts, step, new_frames(), None if self._way == PLAIN else Parts())
        return self._bound()

    def _padded(self, apply: Mapping[str, Any]) -> Told:
        """More rows, the last one again and again; what they give is cut off."""
        size, to = self._rows(), int(apply["to"])
        told, results = self._run(rows.taken(self._arguments, self._batched, np.minimum(np.arange(to), size - 1)))
        # Before it is cut off: 8 rows that give 4 are no 4 rows that give 4.
        told = {**told, "lost": [f"{n} has {len(v)} for {to}" for n, v in results.items() if self._lost(n, v, to)]}
        return told, {n: v[:size] if v.ndim and len(v) == to else v for n, v in results.items()}

    def _chunks(self, apply: Mapping[str, Any]) -> Told:
        """Several smaller batches, one after the other, for what has rows."""
        return self._pieces(int(apply["size"]), self._rows())

    def _dropped(self, apply: Mapping[str, Any]) -> Told:
        """Full batches only."""
        size = int(apply["size"])
        whole = self._rows() // size * size
        if not whole:
            raise Unsupported(f"no full batch of {size} is in {self._rows()} rows: nothing would be left")
        return self._pieces(size, whole)

    def _pieces(self, size: int, upto: int) -> Told:
        found: dict[str, list[Array]] = {}
        lost: dict[str, str] = {}
        told: dict[str, Any] = {}
        for start in range(0, upto, size):
            stop = min(start + size, upto)
            told, results = self._run(rows.taken(self._arguments, self._batched, slice(start, stop)))
            if told["outcome"] != "passed":
                return told, {}
            for name, value in results.items():
                if value.ndim and len(value) == stop - start and not name.startswith("variable "):
                    found.setdefault(name, []).append(value)
                elif self._lost(name, value, stop - start):
                    lost.setdefault(name, f"{name} has {len(value)} for {stop - start}")
        whole = {n: np.concatenate(v) for n, v in found.items() if n not in lost}
        return {**told, "lost": list(lost.values())}, whole

    def _outside(self, apply: Mapping[str, Any]) -> Told:
        """One op run plainly and its results given to the compiled rest."""
        if self._way == PLAIN:
            raise Unsupported("nothing of the step is under XLA that it could be moved out of")
        step = self._ways.step
        graph = step.pure.graph
        wanted = str(apply["node"])
        found = [n for n, o in graph.origins.items() if "/".join((*o.path, o.node)) == wanted or n == wanted]
        if not found:
            raise Unsupported(f"node {wanted} stands within a loop or a branch: it cannot be moved out by itself")
        activation = step.activation(self._ways.frames)
        cut = [t for n in found for t in activation.loaded.outputs(n) if not activation.loaded.is_opaque(t)]
        if not self._as_one():
            if wanted not in self._around:
                self._around[wanted] = Parts(cut)
            return self._around[wanted].run(step, self._ways.frames)
        results = results_of(step)
        outputs = [t for t in results.values() if t not in cut]
        if wanted not in self._outside_of:
            self._outside_of[wanted] = compiled.function_of(unwrap(truncate(graph, outputs, cut=cut)))
        function, names = self._outside_of[wanted]

        def run() -> Mapping[str, Any]:
            activation.fetch(cut)
            given = {t: np.asarray(activation.values[t]) for t in cut}
            arguments = {**self._arguments, **{cut_name(t): v for t, v in given.items()}}
            rest = [np.asarray(v) for v in function(*compiled.values_of(arguments, names))]
            return {**given, **dict(zip(outputs, rest, strict=True))}

        return outcome_of(results, run)

    # -- the reference

    def _held(self, results: Results) -> dict[str, Any]:
        """How far results are from the reference."""
        reference, allowed, seconds = self.reference()
        worst, tolerance, apart, missing = 0.0, None, [], 0
        for name, expected in reference.items():
            value = results.get(name)
            if value is None:
                continue
            if (
                value.ndim
                and expected.ndim
                and 0 < len(value) < len(expected)
                and value.shape[1:] == expected.shape[1:]
            ):
                missing = max(missing, len(expected) - len(value))
                expected = expected[: len(value)]
            row = compared(name, expected, value, allowed.get(name))
            far = float("inf") if row["deviation"] in (None, "inf") else float(row["deviation"])
            if is_apart(row):
                apart.append(name)
            if far / ((allowed.get(name) or 0.0) + 1e-30) >= worst / ((tolerance or 0.0) + 1e-30):
                worst, tolerance = far, allowed.get(name)
        return {
            "deviation": as_json(worst),
            "tolerance": tolerance,
            "apart": apart[:MAX_ROWS],
            "missing": missing,
            "compared": sum(n in results for n in reference),
            "outputs": len(reference),
            "results": len(results),
            "alone": self._by_rows,
            "lost": [f"{n} has {len(v)}" for n, v in results.items() if self._lost(n, v)][:MAX_ROWS],
            "reference_seconds": seconds,
        }

    def reference(self) -> tuple[Results, dict[str, float], float | None]:
        """(results, tolerance of each, seconds of the plain run of the whole batch or of its rows)."""
        if self._reference is None:
            told, whole = self._ways.of(PLAIN)
            passed = told["outcome"] == "passed"
            found = {n: v for n, v in whole.items() if not self._lost(n, v)} if passed else {}
            # The first run prepares; a second one tells the time.
            seconds = _best(lambda: self._ways.plain(self._arguments)) if passed else None
            allowed = dict(self._ways.allowed()) if passed else {}
            alone, more, slow = self._alone()
            self._by_rows = len(alone)
            # Where plain mode passes and XLA is what fails, plain mode is what is meant, mixing of rows included.
            meant = self._as_one() or (self._way != PLAIN and self._run(self._arguments)[0]["outcome"] != "passed")
            for name, value in alone.items():
                if not meant or name not in found or len(found[name]) != len(value):
                    found[name] = value
                    allowed[name] = max(more.get(name, 0.0), allowed.get(name, 0.0))
            for name, value in kept(self._given).items() if self._given is not None else ():
                found[name] = value
                allowed.setdefault(name, max(allowed.values(), default=0.0))
            self._reference = (found, allowed, seconds if seconds is not None else slow)
        return self._reference

    def _lost(self, name: str, value: Array, of: int | None = None) -> bool:
        """Whether a result has other rows than it should (those `of` the batch): such a one is no reference."""
        if not self._by_row or self._why is not None or not value.ndim or name.startswith("variable "):
            return False
        return len(value) != (len(self._arguments[self._batched[0]]) if of is None else of)

    def _alone(self) -> tuple[Results, dict[str, float], float | None]:
        """Each row by itself, for outputs that have one row for one and two for two."""
        if self._why is not None or not self._open or self._ways.by_batch():
            return {}, {}, None
        run: Run = self._ways.plain
        pair = run(rows.taken(self._arguments, self._batched, np.arange(2) % self._rows()))[1]
        started = time.perf_counter()
        pieces: dict[str, list[Array]] = {}
        for row in range(self._rows()):
            told, results = run(rows.taken(self._arguments, self._batched, slice(row, row + 1)))
            if told["outcome"] != "passed":
                return {}, {}, None
            for name, value in results.items():
                two = pair.get(name)
                if not name.startswith("variable ") and two is not None and value.ndim and len(two) == 2:
                    pieces.setdefault(name, []).append(value)
        seconds = time.perf_counter() - started
        # What gives no row for some row, or several, has no rows of its own.
        pieces = {n: v for n, v in pieces.items() if all(len(p) == 1 for p in v)}
        one = rows.taken(self._arguments, self._batched, slice(0, 1))
        allowed = self._ways.tolerances_on(one)
        return (
            {n: np.concatenate(v) for n, v in pieces.items()},
            {n: allowed[n] for n in pieces if n in allowed},
            seconds,
        )

    def _as_one(self) -> bool:
        """Whether the step is one XLA program."""
        return self._way == XLA or (self._way != PLAIN and self._ways.recorded_xla)

    def _rows(self) -> int:
        if self._why is not None:
            raise Unsupported(self._why)
        if not self._open:
            raise Unsupported("the step was traced for a fixed number of rows; give it as a callable of yours")
        return len(self._arguments[self._batched[0]])


def _best(call: Callable[[], Any]) -> float:
    """Seconds of the fastest of up to five calls, as many as are made in a second: others use the machine too."""
    found: list[float] = []
    while not found or (len(found) < _CALLS and sum(found) < 1.0):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return min(found)


def _in_parts(step: Step, frames: Frames, parts: Parts | None) -> Told:
    """The step plainly; where that passes, with what asked for XLA compiled."""
    told, results = run_plain(step, frames)
    return (told, results) if parts is None or told["outcome"] != "passed" else parts.run(step, frames)


def _as_xla(step: Step) -> Callable[[], Told]:
    """The step as one XLA program, compiled once."""
    results = results_of(step)
    function, names = compiled.function_of(closed(step))
    values = compiled.values_of(step.arguments, names)

    def run() -> Mapping[str, Any]:
        return dict(zip(results.values(), [np.asarray(v) for v in function(*values)], strict=True))

    return lambda: outcome_of(results, run)
