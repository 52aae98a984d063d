"""Which ways around a difference give what eager execution gives: tried on the calls that differ.

`nice python -m benchmarks.atlas.workarounds JOURNAL OUT [--known JOURNAL]` reads the journal of `benchmarks.atlas.run`
and writes a row for each call that differs there: the ways that fit it (`tried`), and those with which the compiled
call gives eager execution's results, or raises as it does (`holds`). A way that is a flag of XLA's needs a process of
its own: with `--flag NAME` only that one is tried, and the flag is set by this command.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.atlas.children import Messages, Progress, run, surroundings
from benchmarks.atlas.compare import Outcome, difference
from benchmarks.atlas.edges import Edge, edges, with_other_strides
from benchmarks.atlas.run import FATES
from xladoctor.rules.atlas import MINOR

if TYPE_CHECKING:
    from benchmarks.atlas.run import Ways

Body = Callable[["Ways", list[Any], Any], Any]
_REDUCED = "reduction_indices"
_SAME = ("", *MINOR)


@dataclass(frozen=True)
class Way:
    """One way around: for which kinds of difference it is tried, and the call that takes its place (inputs, and the
    rows that a mask selects, or None). `before` runs eagerly before the compiled call, on its inputs.
    """

    id: str
    kinds: tuple[str, ...]
    body: Body | None = None
    before: Body | None = None


def _cast(source: tuple[str, ...], wide: str) -> Body:
    """The op in a wider type, and its results in the type that it would have given."""

    def body(ways: Ways, inputs: list[Any], keep: Any) -> Any:
        import tensorflow as tf

        narrow = {one.dtype for one in tf.nest.flatten(inputs) if one.dtype.name in source}
        if len(narrow) != 1 or any(isinstance(one, tf.Variable) for one in inputs):
            raise NotImplementedError  # a variable has the type that it has
        widened = tf.nest.map_structure(lambda x: tf.cast(x, wide) if x.dtype in narrow else x, inputs)
        made = ways.body(widened, keep)
        back = next(iter(narrow))
        return tf.nest.map_structure(lambda x: tf.cast(x, back) if x.dtype.name == wide else x, made)

    return body


def _keep_nan(ways: Ways, inputs: list[Any], keep: Any) -> Any:
    """NaN wherever an input that the element is made of has one."""
    import tensorflow as tf

    if any(isinstance(one, tf.Variable) for one in inputs):
        raise NotImplementedError
    made = ways.body(inputs, keep)
    floats = {n: x for n, x in zip(ways.names, inputs, strict=True) if not isinstance(x, list) and x.dtype.is_floating}
    if keep is not None or not isinstance(made, tf.Tensor) or not made.dtype.is_floating or not floats:
        raise NotImplementedError
    given = dict(zip(ways.names, inputs, strict=True))
    for one in floats.values():
        holes = tf.math.is_nan(one)
        if _REDUCED in given:
            holes = tf.reduce_any(holes, given[_REDUCED], keepdims=bool(ways.attributes.get("keep_dims")))
        made = tf.where(holes, tf.constant(float("nan"), made.dtype), made)
    return made


def _select_last(ways: Ways, inputs: list[Any], keep: Any) -> Any:
    """The op on all rows; the rows are selected from its results."""
    import tensorflow as tf

    if keep is None:
        raise NotImplementedError
    return tf.nest.map_structure(lambda x: tf.boolean_mask(x, keep), ways.body(inputs, None))


def _rows_of(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda given: given[name].shape[: given["indices"].shape[-1]]


_HOW = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
_SIZES: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {
    "Gather": ("indices", lambda given: given["params"].shape[0]),
    "GatherV2": ("indices", lambda given: given["params"].shape[int(given["axis"])]),
    "GatherNd": ("indices", _rows_of("params")),
    "ScatterNd": ("indices", lambda given: given["shape"][: given["indices"].shape[-1]]),
    **{f"TensorScatter{how}": ("indices", _rows_of("tensor")) for how in ("Add", "Sub", "Update", "Max", "Min")},
    **{f"UnsortedSegment{how}": ("segment_ids", itemgetter("num_segments")) for how in ("Sum", "Max", "Min", "Prod")},
    **{f"ResourceScatter{how}": ("indices", lambda given: given["resource"].shape[0]) for how in _HOW},
    **{f"ResourceScatterNd{how}": ("indices", _rows_of("ref")) for how in ("Add", "Sub", "Update")},
    "ResourceGather": ("indices", lambda given: given["resource"].shape[0]),
    "InvertPermutation": ("x", lambda given: given["x"].shape[0]),
    "DynamicPartition": ("partitions", itemgetter("num_partitions")),
}
"""The input that numbers the rows of another, and how many there are."""


def _check_indices(ways: Ways, inputs: list[Any], keep: Any) -> None:
    """Raises where an index is out of range."""
    import tensorflow as tf

    given = dict(zip(ways.names, inputs, strict=True)) | ways.attributes
    if ways.call.op not in _SIZES:
        raise NotImplementedError
    argument, size = _SIZES[ways.call.op]
    indices = tf.cast(given[argument], tf.int64)
    tf.debugging.assert_non_negative(indices)
    tf.debugging.assert_less(indices, tf.cast(tf.constant(size(given)), tf.int64))


def _check_values(ways: Ways, inputs: list[Any], keep: Any) -> None:
    """Raises for values that the op refuses."""
    import tensorflow as tf

    if ways.call.op == "CheckNumerics":
        tf.debugging.check_numerics(inputs[0], "not finite")
    elif ways.call.op in ("Bincount", "DenseBincount"):
        tf.debugging.assert_non_negative(inputs[0])
    else:
        raise NotImplementedError


_STATELESS = {
    "RandomUniform": "StatelessRandomUniform", "RandomStandardNormal": "StatelessRandomNormal",
    "TruncatedNormal": "StatelessTruncatedNormal", "RandomUniformInt": "StatelessRandomUniformInt",
    "Multinomial": "StatelessMultinomial",
}  # fmt: skip


def _stateless(ways: Ways, inputs: list[Any], keep: Any) -> Any:
    """The op that takes its seed with each call."""
    import tensorflow as tf

    if ways.call.op not in _STATELESS:
        raise NotImplementedError
    others = {name: value for name, value in ways.attributes.items() if name not in ("seed", "seed2")}
    op = getattr(tf.raw_ops, _STATELESS[ways.call.op])
    return op(**dict(zip(ways.names, inputs, strict=True)), seed=tf.constant([3, 5]), **others)


WAYS = (
    Way("stateless-random", ("unrepeatable",), _stateless),
    Way("float64", ("value", "nan", "infinity", "denormal"), _cast(("float16", "bfloat16", "float32"), "float64")),
    Way("int64", ("value",), _cast(("int8", "int16", "int32", "uint8", "uint16", "uint32"), "int64")),
    Way("keep-nan", ("nan", "value"), _keep_nan),
    Way("select-last", ("value", "nan", "shape", "first-raises", "second-raises", *FATES), _select_last),
    Way("check-indices", ("first-raises",), before=_check_indices),
    Way("check-before", ("first-raises",), before=_check_values),
)
FLAGS = {"no-fast-min-max": "--xla_cpu_enable_fast_min_max=false"}
"""Ways that are a flag of XLA's, for `XLA_FLAGS`."""


def messages(calls: Mapping[str, str], differing: Mapping[str, list[dict[str, Any]]], flag: str | None) -> Messages:
    """What the children ask of each op: `differing` has the rows of the journal."""

    def of_op(name: str, progress: Progress) -> Iterator[dict[str, Any]]:
        from benchmarks.atlas.run import variants, ways_of
        from benchmarks.provoke import ops

        wanted = {(row["dtype"], row["edge"], row["argument"]): row for row in differing[name]}
        told = {(row["dtype"], row["edge"], row["argument"]) for row in progress.rows if "edge" in row}
        types = {row["dtype"] for row in differing[name]}
        for dtype, call in variants(ops.from_json(calls[name])):
            if dtype not in types:
                continue
            ways = ways_of(call)
            others = ((ways_of(other), edge) for other, edge in with_other_strides(call))
            for of, edge in chain(((ways, edge) for edge in edges(call)), others):
                key = (dtype, edge.kind, edge.argument)
                if key in wanted and key not in told:
                    row = {"name": name, "dtype": dtype, "edge": edge.kind, "argument": edge.argument}
                    yield {**row, "kind": wanted[key]["xla"]["kind"], **_tried(of, edge, wanted[key], progress, flag)}

    return of_op


def _tried(ways: Ways, edge: Edge, row: Mapping[str, Any], progress: Progress, flag: str | None) -> dict[str, Any]:
    inputs = ways.tensors(edge)
    keep = ways.mask(inputs) if edge.dynamic else None
    kind, eager = row["xla"]["kind"], ways.outcome(lambda: ways.body(inputs, keep))
    at = (row["dtype"], edge.kind, edge.argument)
    always = flag is not None or kind in (*FATES, "unrepeatable")
    if not always and difference(eager, ways.outcome(lambda: ways.xla(inputs, keep))).kind != kind:
        return {"tried": [], "holds": [], "gone": True}
    if flag is not None:
        if not progress.trying((*at, flag)):
            return {"tried": [flag], "holds": []}
        found = ways.outcome(lambda: ways.xla(inputs, keep))
        return {"tried": [flag], "holds": [flag] if _same(eager, found) else []}
    tried, holds = [], []
    for way in WAYS:
        if kind not in way.kinds:
            continue
        tried.append(way.id)
        if not progress.trying((*at, way.id)):
            continue
        found = ways.outcome(partial(_through, way, ways, inputs, keep))
        if kind == "unrepeatable":  # then it is enough that it gives the same twice
            eager = ways.outcome(partial(_through, way, ways, inputs, keep))
        if found.error == NotImplementedError.__name__:
            tried.pop()
        elif _same(eager, found) and (way.before is None or _passes(way, ways)):
            holds.append(way.id)
    return {"tried": tried, "holds": holds}


def _passes(way: Way, ways: Ways) -> bool:
    """Whether the valid call still goes through: a check that refuses all would be right about the wrong ones."""
    valid = ways.tensors(next(edges(ways.call)))
    return not ways.outcome(lambda: _through(way, ways, valid, None)).error


def _same(eager: Outcome, found: Outcome) -> bool:
    return bool(eager.error) == bool(found.error) and difference(eager, found).kind in _SAME


def _through(way: Way, ways: Ways, inputs: list[Any], keep: Any) -> Any:
    import tensorflow as tf

    if way.before is not None:
        way.before(ways, inputs, keep)
    body = way.body
    if body is None:
        return ways.xla(inputs, keep)
    return tf.function(lambda given, rows: body(ways, given, rows), jit_compile=True)(inputs, keep)


def read(journal: Path) -> tuple[dict[str, str], dict[str, list[dict[str, Any]]]]:
    """{op: its valid call} and {op: its rows that differ by more than rounding}."""
    calls: dict[str, str] = {}
    differing: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in map(json.loads, journal.read_text(encoding="utf-8").splitlines()):
        if row.get("call"):
            calls[row["name"]] = row["call"]
        if (row.get("xla") or {}).get("kind", "") not in _SAME:
            differing[row["name"]].append(row)
    return calls, dict(differing)


def main() -> None:
    """Try all ways, or a flag."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--flag", choices=tuple(FLAGS))
    asked = parser.parse_args()
    if asked.flag:
        os.environ["XLA_FLAGS"] = FLAGS[asked.flag]
    surroundings()
    import tensorflow  # noqa: F401 - before the fork

    calls, differing = read(asked.journal)
    chosen = sorted(name for name in differing if name in calls)
    sys.stderr.write(f"{len(chosen)} ops, {sum(map(len, differing.values()))} calls\n")
    run(chosen, messages(calls, differing, asked.flag), asked.out)


if __name__ == "__main__":
    main()
