"""Where XLA is known to differ from eager execution, op by op: the atlas (docs/atlas.md).

Each difference was measured by running the op on a CPU with the named input, and with no other change. An op or input
that is not in the table gave the same result or was not tested (benchmarks/atlas/coverage.csv). A composition is a
small function of several ops (`composition:array_grows_from_two`), for what no call of one op shows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Literal

FILE = Path(__file__).with_name("atlas.csv")
FIELDS = ("version", "op", "edge", "argument", "kind", "types", "size", "eager", "xla", "eager_units", "xla_units",
          "in_graph", "workarounds", "tried", "tried_types")  # fmt: skip
COMPOSITIONS = FILE.with_name("compositions.csv")
COMPOSITION_FIELDS = ("name", "about", "what")
PROGRAM = "program"
"""The edge of a composition: the values that its program gives it."""
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
    "stride-negative": "a negative stride", "stride-long": "a stride beyond the end",
    "stride-long-negative": "a negative stride beyond the start", "stride-zero": "a stride of zero",
    "long": "thousands of elements", PROGRAM: "a small program",
}  # fmt: skip
"""Words for each kind of input."""
KINDS: Mapping[str, str] = {
    "value": "gives other numbers", "nan": "gives NaN in other places", "infinity": "gives an infinity in other places",
    "sign-of-zero": "gives zeros of the other sign", "denormal": "takes other denormal numbers for zeros",
    "shape": "gives another shape", "dtype": "gives another element type",
    "first-raises": "gives numbers where eager execution raises an error",
    "second-raises": "raises an error where eager execution gives numbers",
    "unrepeatable": "gives other numbers in each call, for the same seed",
    "process-ends": "ends the process", "hangs": "does not answer within a minute",
}  # fmt: skip
"""What XLA does, for each kind of difference."""
WORKAROUNDS: Mapping[str, str] = {
    "check-indices": "check the indices with `tf.debugging.assert_less` before the compiled call",
    "float64": "cast its inputs to float64, and its result back",
    "int64": "cast its inputs to int64, and its result back",
    "keep-nan": "put each NaN back with `tf.where(tf.math.is_nan(x), x, result)`",
    "select-first": "select rows first, and run it on these",
    "select-last": "run it on all rows, and select rows from its result",
    "check-after": "check its result with `tf.debugging` after the compiled call",
    "check-before": "check its input with `tf.debugging` before the compiled call",
    "give-size": "give the TensorArray its full size when it is made",
    "maximum-iterations": "give the loop `maximum_iterations`",
    "name-algorithm": 'name the algorithm with `alg="philox"`',
    "reverse-first": "reverse the rows with `tf.reverse`, and take the first one",
    "safe-where": "put harmless numbers into what `tf.where` does not choose, with another `tf.where` around its input",
    "stateless-random": "draw with the `stateless` function of the same name",
    "write-into-array": "write the rows into a TensorArray of full size, and stack it after the loop",
    "zeros-for-rows": "put zeros for the other rows, and select rows from the result",
    "no-fast-min-max": "set `XLA_FLAGS=--xla_cpu_enable_fast_min_max=false`",
}
"""What gave the results of eager execution, or its error, where it was tried under XLA."""
Nearer = Literal["eager", "xla", "neither", "both", "as-in-float64", "unknown"]
NEARER: Mapping[Nearer, str] = {
    "eager": "eager execution is nearer to the result in float64", "xla": "XLA is nearer to the result in float64",
    "neither": "neither is near the result in float64", "both": "both are as near to the result in float64",
    "as-in-float64": "both differ in float64 as well, so that it is no matter of rounding", "unknown": "",
}  # fmt: skip
"""Which side is nearer to what eager execution gives in float64 for the same numbers."""
_OF_TYPE = ("denormal", "huge")
"""Inputs that are others in each type."""
_OF_NUMBERS = frozenset({"value", "nan", "infinity", "denormal"})
"""Kinds of difference where both sides give numbers."""
_WIDE = frozenset({"float64", "complex128"})
_AS_NEAR, _NEAR = 8.0, 64.0
Trial = Literal["helps", "no-help", "none-fits", "not-tried"]
"""What came of trying the ways around a difference; `none-fits`: each is for other ops or other kinds of difference."""
_SILENT = frozenset({"value", "nan", "infinity", "shape", "dtype", "first-raises"})
_MASKS = frozenset({"Where", "Unique", "UniqueV2", "DynamicPartition"})
_WEIGHTS: Mapping[str, int] = {
    "valid": 8, "bounded-rows": 6, "index-too-large": 4, "index-negative": 4, "index-far-negative": 4,
    "index-duplicates": 4, "empty": 2, "negative": 2, "ties": 2, "zeros": 2,
}  # fmt: skip
_FITTING: Mapping[str, frozenset[str]] = {
    "raises": frozenset({"first-raises"}),
    "shape": frozenset({"shape"}),
    "values": frozenset({"value", "nan", "infinity", "sign-of-zero", "denormal", "unrepeatable"}),
}


@dataclass(frozen=True)
class Difference:
    """One entry: with `edge` in the input `argument` ("" for all), XLA shows `kind` of difference.

    `types` are the element types that show it, `size` the largest difference relative to the largest element (None
    where there is none to name), `eager` and `xla` one element of each, `eager_units` and `xla_units` how far each is
    from the result in float64, in units in the last place of its type (infinite where NaN or infinities differ, None
    where there is no such result), `in_graph` whether a graph without XLA differs
    alike, `workarounds` what gave the results of eager execution in each of `tried_types` (`WORKAROUNDS`), and `tried`
    all that was tried in them.
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
    workarounds: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    tried_types: tuple[str, ...] = ()
    eager_units: float | None = None
    xla_units: float | None = None

    @property
    def nearer(self) -> Nearer:
        """Which side is nearer to the result in float64: by a factor, or by being near at all. Where both differ for
        the same input in float64, that result has no say.
        """
        eager, xla = self.eager_units, self.xla_units
        if self.kind not in _OF_NUMBERS:
            return "unknown"
        if self.edge not in _OF_TYPE and not _WIDE.isdisjoint(self.types):
            return "as-in-float64"
        if eager is None or xla is None:
            return "unknown"
        if max(eager, xla) <= _AS_NEAR * min(eager, xla):
            return "both" if max(eager, xla) <= _NEAR else "neither"
        return "eager" if eager < xla else "xla"

    @property
    def trial(self) -> Trial:
        """What came of trying the ways around it."""
        if self.workarounds or self.tried:
            return "helps" if self.workarounds else "no-help"
        return "none-fits" if self.tried_types else "not-tried"

    def __str__(self) -> str:
        if self.edge == PROGRAM:
            return f"XLA {KINDS.get(self.kind, self.kind)}"
        of = f" in `{self.argument}`" if self.argument else ""
        return f"with {EDGES.get(self.edge, self.edge)}{of}, XLA {KINDS.get(self.kind, self.kind)}"


@dataclass(frozen=True)
class Composition:
    """A small program that was run as ops are: what it is `about` (`TensorArray`, `random.normal`), what it does."""

    name: str
    about: tuple[str, ...]
    what: str


@lru_cache(maxsize=1)
def compositions() -> Mapping[str, Composition]:
    """{name: each that was run}."""
    with COMPOSITIONS.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["name"]: Composition(row["name"], tuple(row["about"].split()), row["what"]) for row in rows}


def what(op: str) -> str:
    """What a composition does, in a few words; of an op nothing."""
    group, _, name = op.rpartition(":")
    return compositions()[name].what if group == "composition" and name in compositions() else ""


def about(name: str) -> tuple[Difference, ...]:
    """The entries of all compositions about a function of TensorFlow (`tf.random.normal`, or `normal`)."""
    wanted = name.removeprefix("tf.").lower()
    fitting = [
        one.name
        for one in compositions().values()
        if any(("." + name.lower()).endswith("." + wanted) for name in one.about)
    ]
    return tuple(d for of in fitting for d in of_op(of))


@lru_cache(maxsize=1)
def differences() -> tuple[Difference, ...]:
    """The whole table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Difference(
                **{key: row[key] for key in ("version", "op", "edge", "argument", "kind", "eager", "xla")},
                types=tuple(row["types"].split()),
                size=_number(row["size"]),
                in_graph=row["in_graph"] == "yes",
                eager_units=_number(row["eager_units"]),
                xla_units=_number(row["xla_units"]),
                workarounds=tuple(row["workarounds"].split()),
                tried=tuple(row["tried"].split()),
                tried_types=tuple(row["tried_types"].split()),
            )
            for row in csv.DictReader(file)
        )


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


@lru_cache(maxsize=1)
def _by_op() -> Mapping[str, tuple[Difference, ...]]:
    """{op, class of a layer, loss or metric, or name of a composition: its entries}."""
    found: dict[str, list[Difference]] = {}
    for one in differences():
        found.setdefault(one.op.rpartition(":")[2], []).append(one)
    return {op: tuple(entries) for op, entries in found.items()}


@lru_cache(maxsize=1)
def _versions() -> tuple[str, ...]:
    """Those of TensorFlow that were looked at, oldest first."""
    return tuple(sorted({d.version for d in differences()}, key=_numbers))


def of_op(op: str | None, kind: str | None = None, version: str | None = None) -> tuple[Difference, ...]:
    """The entries of an op, or of what Keras has of this name; with the `kind` of a comparison (values, shape, raises)
    those of that kind, with a `version` of TensorFlow those of the newest that is not newer, or of the oldest.
    """
    fitting = _FITTING.get(kind or "", frozenset(KINDS))
    found = tuple(d for d in _by_op().get((op or "").rpartition(":")[2], ()) if d.kind in fitting)
    if version is None or not found:
        return found
    nearest = max((v for v in _versions() if _numbers(v) <= _numbers(version)), key=_numbers, default=_versions()[0])
    return tuple(d for d in found if d.version == nearest)


_MADE_BY = {"Assert": "Assert", "TensorList": "TensorArray"}
"""Functions whose ops differ in what several of them do together: the beginning of the names of the ops."""


def of_programs(op: str | None, kind: str | None, version: str | None) -> tuple[str, tuple[Difference, ...]]:
    """(function, the entries of the programs about it) for an op that only such programs show to differ, as `of_op`."""
    function = next((f for begin, f in _MADE_BY.items() if (op or "").startswith(begin)), "")
    programs = {one.op for one in about(function)} if function else set()
    return function, tuple(d for one in sorted(programs) for d in of_op(one, kind, version))


def hazards(ops: Collection[str], version: str | None = None) -> tuple[tuple[str, int], ...]:
    """(op, weight) of those of a graph that can differ under XLA without an error, gravest first.

    What ordinary values show weighs most, then what an index or a negative number does, then NaN and infinities. Rows
    of a number that only a mask knows count where the graph has such an op.
    """
    bounded = not _MASKS.isdisjoint(ops)
    weights: dict[str, int] = {}
    for op in ops:
        for one in of_op(op, version=version):
            if one.kind in _SILENT and not one.in_graph and (bounded or one.edge != "bounded-rows"):
                weights[op] = max(weights.get(op, 0), _WEIGHTS.get(one.edge, 1))
    return tuple(sorted(weights.items(), key=lambda item: (-item[1], item[0])))


def as_data(one: Difference) -> dict[str, object]:
    """An entry for JSON, which has no infinity: then it is null, and `nearer` says what it was."""
    units = {key: far if far is not None and isfinite(far) else None for key, far in _units(one).items()}
    return {**asdict(one), **units, "nearer": one.nearer}


def _units(one: Difference) -> Mapping[str, float | None]:
    return {"eager_units": one.eager_units, "xla_units": one.xla_units}


def advice(one: Difference) -> str:
    """What is known of the ways around a difference, in a sentence; where none was tried in its version, what came of
    them in the newest other one, and empty where none was tried in any.
    """
    if one.trial == "not-tried":
        alike = (d for d in of_op(one.op) if (d.edge, d.argument, d.kind) == (one.edge, one.argument, one.kind))
        other = max((d for d in alike if d.trial != "not-tried"), key=lambda d: _numbers(d.version), default=None)
        return f"In TensorFlow {other.version}: {advice(other)}" if other is not None else ""
    ways = {
        "helps": f"The eager result came when it was tried to {_ways(one.workarounds)}.",
        "no-help": f"Tried, and did not help: to {_ways(one.tried)}.",
        "none-fits": "None of the ways around that the atlas knows fits it.",
        "not-tried": "",
    }
    return ways[one.trial]


def _ways(names: Sequence[str]) -> str:
    return ", or to ".join(WORKAROUNDS[name] for name in names)


def joined(found: Sequence[Difference]) -> tuple[tuple[Difference, tuple[str, ...]], ...]:
    """Each difference once, as the newest version shows it, with the versions that show it."""
    versions: dict[tuple[str, ...], list[Difference]] = {}
    for one in found:
        versions.setdefault((one.op, one.edge, one.argument, one.kind), []).append(one)
    groups = (sorted(same, key=lambda d: _numbers(d.version)) for same in versions.values())
    return tuple((same[-1], tuple(d.version for d in same)) for same in groups)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:3])
