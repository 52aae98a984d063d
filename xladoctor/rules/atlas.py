"""Where XLA is known to differ from eager execution, op by op: the atlas (docs/atlas.md).

Each difference was measured by running the op on a CPU with the named input, and with no other change. An op or input
that is not in the table gave the same result or was not tested (benchmarks/atlas/coverage.csv).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("atlas.csv")
FIELDS = ("version", "op", "edge", "argument", "kind", "types", "size", "eager", "xla", "in_graph")
MINOR = ("rounding", "approximation")
"""Differences that do not count: the last places, and another approximation of a function."""

EDGES: Mapping[str, str] = {
    "valid": "ordinary values",
    "nan": "a NaN", "nan-everywhere": "NaN everywhere",
    "infinity": "an infinity", "negative-infinity": "a negative infinity",
    "zeros": "zeros", "negative-zero": "negative zeros", "denormal": "denormal numbers",
    "huge": "the largest numbers of the type", "ties": "equal values", "negative": "negative values",
    "index-too-large": "an index that is too large", "index-negative": "a negative index",
    "index-far-negative": "an index far below zero", "index-duplicates": "the same index several times",
    "integer-maximum": "the largest integer of the type", "integer-minimum": "the smallest integer of the type",
    "all-false": "false everywhere", "all-true": "true everywhere",
    "empty": "no rows", "one-row": "one row", "bounded-rows": "rows that a mask has selected",
    "long": "thousands of elements",
}  # fmt: skip
"""Words for each kind of input."""
KINDS: Mapping[str, str] = {
    "value": "gives other numbers", "nan": "gives NaN in other places", "infinity": "gives an infinity in other places",
    "sign-of-zero": "gives zeros of the other sign", "denormal": "gives zeros for denormal numbers",
    "shape": "gives another shape", "dtype": "gives another element type",
    "first-raises": "gives numbers where eager execution raises an error",
    "second-raises": "raises an error where eager execution gives numbers",
    "process-ends": "ends the process", "hangs": "does not answer within a minute",
}  # fmt: skip
"""What XLA does, for each kind of difference."""
_FITTING: Mapping[str, frozenset[str]] = {
    "raises": frozenset({"first-raises"}),
    "shape": frozenset({"shape"}),
    "values": frozenset({"value", "nan", "infinity", "sign-of-zero", "denormal"}),
}


@dataclass(frozen=True)
class Difference:
    """One entry: with `edge` in the input `argument` ("" for all), XLA shows `kind` of difference.

    `types` are the element types that show it, `size` the largest difference relative to the largest element (None
    where there is none to name), `eager` and `xla` one element of each, `in_graph` whether a graph without XLA differs
    alike.
    """

    version: str
    op: str
    edge: str
    argument: str
    kind: str
    types: tuple[str, ...]
    size: float | None
    eager: str
    xla: str
    in_graph: bool

    def __str__(self) -> str:
        of = f" in `{self.argument}`" if self.argument else ""
        return f"with {EDGES.get(self.edge, self.edge)}{of}, XLA {KINDS.get(self.kind, self.kind)}"


@lru_cache(maxsize=1)
def differences() -> tuple[Difference, ...]:
    """The whole table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Difference(
                row["version"], row["op"], row["edge"], row["argument"], row["kind"], tuple(row["types"].split()),
                float(row["size"]) if row["size"] else None, row["eager"], row["xla"], row["in_graph"] == "yes",
            )
            for row in csv.DictReader(file)
        )  # fmt: skip


def of_op(op: str | None, kind: str | None = None) -> tuple[Difference, ...]:
    """The entries of an op; with the `kind` of a comparison (values, shape, raises) those of that kind."""
    fitting = _FITTING.get(kind or "", frozenset(KINDS))
    return tuple(d for d in differences() if d.op == op and d.kind in fitting)
