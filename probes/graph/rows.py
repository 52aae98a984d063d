"""Whether each row of a batch is answered for itself: a row alone, in its batch, in a smaller one and in another order.

Rows are those of axis 0 of the inputs that have the batch there. An output has the batch as its leading axis if it has
as many rows as the inputs at one of the batch sizes that are run, and not the same number at all of them; an output
that has so at one size and not at another has lost rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .deviation_map import MOST_MAPS, deviation_map
from .measure import MAX_ROWS, Array, Results, compared, deviation, is_apart, rows_apart
from .sensitivity import Run

FEW = 2
_PROBED = 3
_SINGLES = 16


def check(
    run: Run,
    arguments: Mapping[str, Array],
    batched: Sequence[str],
    whole: Results,
    tolerances: Mapping[str, float],
    *,
    other_sizes: bool = True,
    left_out: Iterable[str] = (),
) -> dict[str, Any]:
    """Compare the rows of `whole`, the results of `run(arguments)`, with those of other batches.

    `batched` are the arguments with the batch as leading axis; `other_sizes` says whether a batch of another size can
    be run; `left_out` are outputs that are not to be compared. Returns

    {"batch", "tests": [{"test": "permuted" | "alone" | "copies" | "few" | "size", "output", "shapes", "deviation",
      "tolerance", "rows", ...}], "without_rows": [outputs], "failed": [{"test", "error"}], "depends": [{"output",
      "input", "row", "rows"}]}

    A test is listed if rows differ or are lost, and once (with no rows) where all agree. "depends" says, where rows
    differ, which rows of an output change with a row of an input: it should be that row and no other.
    """
    batch = int(arguments[batched[0]].shape[0])
    told: dict[str, Any] = {"batch": batch, "tests": [], "without_rows": [], "failed": [], "depends": []}
    skip = set(left_out)
    names = [n for n in whole if n not in skip]
    smaller = _smaller(run, arguments, batched, batch, told) if other_sizes else {}
    with_rows = []
    for name in names:
        sizes = {size: results.get(name) for size, results in smaller.items()} | {batch: whole[name]}
        has = {size: v is not None and v.ndim > 0 and v.shape[0] == size for size, v in sizes.items()}
        telling = {size: ok for size, ok in has.items() if size > 1}
        leading = {v.shape[0] if v is not None and v.ndim else None for v in sizes.values()}
        if not any(telling.values()) or (len(sizes) > 1 and len(leading) == 1):
            told["without_rows"].append(name)
        elif not all(telling.values()):
            if _selects(run, arguments, batched, name, whole[name]):
                told["without_rows"].append(name)
                continue
            good, bad = (next(s for s, ok in telling.items() if ok is wanted) for wanted in (True, False))
            told["tests"].append({"test": "size", **_lost(name, sizes, good, bad)})
        elif batch > 1:
            with_rows.append(name)
    if with_rows:
        tests = _Rows(run, arguments, batched, whole, with_rows, tolerances, told)
        tests.permuted()
        if batch > FEW and FEW in smaller:
            tests.same("few", slice(0, FEW), smaller[FEW])
        if other_sizes:
            tests.alone()
        else:
            tests.copies()
        if tests.apart:
            tests.dependences()
    return told


@dataclasses.dataclass
class _Rows:
    """The tests of the rows of the outputs `names`; what they find goes into `told`."""

    run: Run
    arguments: Mapping[str, Array]
    batched: Sequence[str]
    whole: Results
    names: Sequence[str]
    tolerances: Mapping[str, float]
    told: dict[str, Any]
    apart: set[str] = dataclasses.field(default_factory=set)
    """The outputs of which a test found rows that differ."""

    def __post_init__(self) -> None:
        self._batch = len(self.arguments[self.batched[0]])
        self._some = sorted({0, self._batch // 2, self._batch - 1})

    def permuted(self) -> None:
        """All rows in another order."""
        self._other("permuted", order(self._batch), "permuted rows")

    def alone(self) -> None:
        """The first row, one in the middle and the last, each by itself."""
        for row in self._some:
            if not self._other("alone", np.array([row]), "a row alone"):
                return

    def copies(self) -> None:
        """The same rows, each in a batch of nothing but itself: all that is left where no other size can be run."""
        for row in self._some if self._batch > 1 else ():
            if not self._other("copies", np.full(self._batch, row), "a row among copies of itself"):
                return

    def _other(self, test: str, rows: Array, words: str) -> bool:
        outcome, results = self.run(taken(self.arguments, self.batched, rows))
        if outcome["outcome"] != "passed":
            self.told["failed"].append({"test": words, "error": outcome["error"]})
            return False
        self.same(test, rows, results)
        return True

    def same(self, test: str, rows: Any, results: Results) -> None:
        """Compare results with those rows of the whole batch that they are of."""
        numbers = np.arange(self._batch)[rows]
        for name in self.names:
            whole, found = self.whole[name], results.get(name)
            row = {**compared(name, whole[rows], found, self.tolerances[name]), "follows": []}
            if is_apart(row):
                self.apart.add(name)
                if len(self.apart) <= MOST_MAPS:
                    row["map"] = deviation_map(whole[rows], found, numbers)
                row["follows"] = _follows(found, whole, numbers, row["rows"], self.tolerances[name])
                row["rows"] = [int(numbers[i]) for i in row["rows"]]
            self.told["tests"].append({"test": test, **row})

    def dependences(self) -> None:
        """Which rows of an output that differs change when one row of one input is replaced by the next one."""
        for argument in self.batched:
            for row in self._some:
                value = self.arguments[argument].copy()
                value[row] = value[(row + 1) % self._batch]
                outcome, results = self.run({**self.arguments, argument: value})
                if outcome["outcome"] != "passed":
                    continue
                for name in sorted(self.apart):
                    if name in results and results[name].shape == self.whole[name].shape:
                        changed = rows_apart(results[name], self.whole[name], self.tolerances[name])[:MAX_ROWS]
                        self.told["depends"].append({"output": name, "input": argument, "row": row, "rows": changed})


def taken(arguments: Mapping[str, Array], batched: Iterable[str], rows: Any) -> dict[str, Array]:
    """The arguments with these rows (indices or a slice) of the batched ones."""
    chosen = set(batched)
    return {n: a[rows] if n in chosen else a for n, a in arguments.items()}


def order(batch: int) -> Array:
    """A permutation that leaves no row in its place, and is no mere rotation where there are enough rows."""
    random = np.random.default_rng(batch)
    turned = np.roll(np.arange(batch), 1)
    for _ in range(100):
        found = random.permutation(batch)
        if batch > 3 and not (found == np.arange(batch)).any():
            return found
    return turned


def _smaller(
    run: Run, arguments: Mapping[str, Array], batched: Sequence[str], batch: int, told: dict[str, Any]
) -> dict[int, Results]:
    """Results of the first rows alone, by size: another size than 1 shows whether an output has rows at all."""
    found: dict[int, Results] = {}
    sizes = [FEW] if batch != FEW else [FEW + 1]
    for size in sizes:
        rows = np.arange(size) % batch
        outcome, results = run(taken(arguments, batched, rows))
        if outcome["outcome"] == "passed":
            found[size] = results
        else:
            told["failed"].append({"test": f"a batch of {size}", "error": outcome["error"]})
    return found


def _selects(run: Run, arguments: Mapping[str, Array], batched: Sequence[str], name: str, value: Array) -> bool:
    """Whether an output keeps some rows by their values: what single rows give adds up to what the batch gives."""
    batch = len(arguments[batched[0]])
    first = min(batch, _SINGLES)
    parts = [slice(i, i + 1) for i in range(first)] + ([slice(first, batch)] if first < batch else [])
    total = 0
    for part in parts:
        outcome, results = run(taken(arguments, batched, part))
        if outcome["outcome"] != "passed" or name not in results or not results[name].ndim:
            return False
        total += len(results[name])
    return value.ndim > 0 and total == len(value)


def _lost(name: str, sizes: Mapping[int, Array | None], good: int, bad: int) -> dict[str, Any]:
    shapes = {s: None if v is None else list(v.shape) for s, v in sizes.items()}
    return {
        "output": name,
        "shapes": [shapes[bad], [bad, *(shapes[good] or [bad])[1:]]],
        "size": bad,
        "right_at": good,
        "deviation": None,
        "tolerance": None,
        "rows": [],
    }


def _follows(
    found: Array | None, whole: Array, numbers: Array, bad: Sequence[int], tolerance: float
) -> list[list[int]]:
    """[[row, other row], ...]: what came out for a row is what the whole batch had for another one."""
    pairs = []
    for i in bad[:_PROBED] if found is not None and found.shape[1:] == whole.shape[1:] else ():
        for j in range(len(whole)):
            if j != numbers[i] and deviation(found[i], whole[j]) <= tolerance:  # type: ignore[index]
                pairs.append([int(numbers[i]), j])
                break
    return pairs
