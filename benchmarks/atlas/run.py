"""Each op at the edges of its inputs: eagerly, in a graph and under XLA, into a journal that can be resumed.

`nice python -m benchmarks.atlas.run JOURNAL [--only PREFIX] [--share PERCENT] [--skip N] [--jobs N]`. A valid call of
each op stands in `calls.csv`, so that a rerun makes the same calls, or is found by trying. A row has the op, the
element type, the edge, the input that was varied, and how the graph and XLA differ from eager execution; `again` says
that eager execution gave two results in two calls, so that nothing can be said. `units` are those in the last place
that either way is from the same call in float64.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.atlas.children import Messages, Progress, digest, run, surroundings
from benchmarks.atlas.compare import Difference, Outcome, difference
from benchmarks.atlas.edges import Edge, edges, typed, with_other_strides
from benchmarks.atlas.known import CALLS
from benchmarks.atlas.reference import NUMBERS, Reference
from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import STRING, VARIANT, Value

BASES = Path(__file__).with_name("calls.csv")
"""Valid calls that were found."""
PREFIX = "composition:"
"""Before the name of a composition."""
FATES = ("hangs", "process-ends")
_TYPES = (1, 3, 19, 8, 6, 9, 2, 14, 10, 4, 5, 17, 22, 23, 18)


class Ways:
    """The three ways to run one op; XLA compiles once for each set of shapes and types."""

    def __init__(self, call: Call) -> None:
        import tensorflow as tf

        self.tf, self.call = tf, call
        self.function = self.function_of(call)
        self.names = [name for name, _ in call.inputs]
        self.attributes = self.attributes_of(call)
        self.graph = tf.function(self.body)
        self.xla = tf.function(self.body, jit_compile=True)

    def function_of(self, call: Call) -> Callable[..., Any]:
        """What is called, with the inputs and attributes by name."""
        return getattr(self.tf.raw_ops, call.op)  # type: ignore[no-any-return]

    def attributes_of(self, call: Call) -> dict[str, Any]:
        """The attributes that are handed to it."""
        from benchmarks.provoke import ops

        return {k: ops.arguments(call)[k] for k, _ in call.attributes} if call.attributes else {}

    def lend(self, other: Ways) -> None:
        """Gives what it holds beside its inputs to the same call in another type."""

    def tensors(self, edge: Edge) -> list[Any]:
        """The inputs."""
        return [self._tensor(value, edge.arrays[name]) for name, value in self.call.inputs]

    def _tensor(self, value: Any, array: Any) -> Any:
        if isinstance(value, Value):
            return value.tensor(array) if value.dtype != VARIANT else value.tensor()
        return [self._tensor(one, a) for one, a in zip(value, array, strict=True)]

    def body(self, inputs: Any, keep: Any) -> Any:
        """The call; of rows that a mask selects where there is one."""
        if keep is not None:
            inputs = [self._bounded(one, keep) for one in inputs]
        return self.function(**dict(zip(self.names, inputs, strict=True)), **self.attributes)

    def _bounded(self, one: Any, keep: Any) -> Any:
        rows = one.shape[0] if not isinstance(one, list) and one.shape.rank else None
        return self.tf.boolean_mask(one, keep) if rows == keep.shape[0] else one

    def outcomes(self, edge: Edge, allowed: Callable[[str], str]) -> dict[str, Outcome]:
        """What each way gives, and eager execution and XLA a second time (`again`). `allowed` is asked before each:
        where it may not be tried, it says what became of the process the last time (`hangs`, `process-ends`).
        """
        inputs = self.tensors(edge)
        keep = self.mask(inputs) if edge.dynamic else None
        if edge.dynamic and keep is None:
            return {}
        ways: dict[str, Callable[[], Any]] = {
            "eager": lambda: self.body(inputs, keep),
            "again": lambda: self.body(inputs, keep),
            "graph": lambda: self.graph(inputs, keep),
            "xla": lambda: self.xla(inputs, keep),
            "xla-again": lambda: self.xla(inputs, keep),
        }
        found: dict[str, Outcome] = {}
        for name, way in ways.items():
            fate = allowed(name)
            found[name] = Outcome(error=fate) if fate else self.outcome(way)
            if found[name].error in FATES and not name.startswith("xla"):
                return {}
        return found

    def mask(self, inputs: list[Any]) -> Any:
        """All rows but the second; None where there are none to choose from."""
        rows = [one.shape[0] for one in inputs if not isinstance(one, list) and one.shape.rank]
        return self.tf.constant([i != 1 for i in range(rows[0])]) if rows and rows[0] > 1 else None

    def outcome(self, run: Callable[[], Any]) -> Outcome:
        """What a call gives, or raises."""
        try:
            return Outcome(tuple(one.numpy() for one in self.tf.nest.flatten(run()) if hasattr(one, "numpy")))
        except Exception as error:
            return Outcome(error=type(error).__name__, words=str(error).strip().split("\n")[0][:300])


@dataclass(frozen=True)
class Part:
    """Which calls of each op: of its element types those from `skip` up to `types` that `dtypes` names, and of the
    kinds of input those of `edges`; all where these are empty.
    """

    types: int = 99
    skip: int = 0
    edges: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()


def messages(known: dict[str, str], part: Part = Part()) -> Messages:
    """What the children ask of each op; `known` are valid calls."""

    def of_op(name: str, progress: Progress) -> Iterator[dict[str, Any]]:
        from benchmarks.provoke import ops

        if name.startswith(PREFIX):
            yield from _of_composition(name, progress)
            return
        call = (
            CALLS.get(name)
            or _of_keras(name)
            or _of_state(name)
            or (ops.from_json(known[name]) if name in known else None)
        )
        call = call or _found(name, progress)
        if isinstance(call, str):
            yield {"name": name, "left-out": call}
            return
        yield {"name": name, "call": ops.to_json(call)}
        for number, (dtype, variant) in islice(enumerate(variants(call)), part.skip, part.types):
            if part.dtypes and dtype not in part.dtypes:
                continue
            wanted = lambda one: not part.edges or one.kind in part.edges  # noqa: E731
            yield from _of_edges(
                ways_of(variant), name, dtype, filter(wanted, edges(variant, rows=not number)), progress
            )
            for other, edge in with_other_strides(variant):
                if wanted(edge):
                    yield from _of_edges(ways_of(other), name, dtype, (edge,), progress)

    return of_op


def _of_keras(name: str) -> Call | str | None:
    """The call of a layer, a loss or a metric, or why there is none."""
    from benchmarks.atlas import layers

    return layers.calls()[name] if ":" in name else None


def _of_state(name: str) -> Call | str | None:
    """The call of an op that keeps a state or draws, or why there is none."""
    from benchmarks.atlas import states

    return states.LEFT_OUT.get(name) or states.calls().get(name)


def ways_of(call: Call) -> Ways:
    """The ways to run an op, or what Keras has."""
    from benchmarks.atlas.layers import KerasWays
    from benchmarks.atlas.states import StateWays, calls

    return KerasWays(call) if ":" in call.op else StateWays(call) if call.op in calls() else Ways(call)


def _of_composition(name: str, progress: Progress) -> Iterator[dict[str, Any]]:
    """One composition, with the ways around that hold where it differs."""
    from benchmarks.atlas.states import ALONE, ComposedWays

    ways = ComposedWays(name)
    for row in _of_edges(ways, name, "", (ALONE,), progress):
        kind = row.get("xla", {}).get("kind", "")
        if kind:
            row |= {"kind": kind, "holds": ways.holding(kind, lambda way: progress.trying((name, way)))}
        yield row


def _found(name: str, progress: Progress) -> Call | str:
    """A valid call of an op, or why there is none."""
    from tensorflow.python.framework import op_def_registry

    from benchmarks.provoke import bases, ops

    op = op_def_registry.get(name)
    if op.is_stateful:
        return "keeps a state, or draws random numbers"
    why = ops.unfit(op)
    if why:
        return why
    call = bases.base(op, lambda one: _complaint(one) if progress.trying(one) else "ends the process")
    return "no valid call was found" if call is None else call


def _complaint(call: Call) -> str | None:
    import tensorflow as tf

    from benchmarks.provoke import ops

    try:
        getattr(tf.raw_ops, call.op)(**ops.arguments(call))
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:2000]
    return None


def names() -> list[str]:
    """Every op that has a kernel for the CPU and one for XLA on it, and a Python function; then what Keras has, and the
    compositions.

    The kernels of XLA are registered by the first compilation. It happens in a process of its own, since one that has
    compiled can't be forked any more.
    """
    ours, theirs = os.pipe()
    if not os.fork():
        os.write(theirs, json.dumps(_names()).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as answer:
        return list(json.load(answer))


def _names() -> list[str]:
    import tensorflow as tf
    from tensorflow.python.framework import kernels

    tf.function(lambda x: x + 1.0, jit_compile=True)(tf.constant(1.0))
    devices = {
        name: {kernel.device_type for kernel in kernels.get_registered_kernels_for_op(name).kernel}
        for name in sorted(set(dir(tf.raw_ops)))
    }
    ops = [name for name, registered in devices.items() if {"CPU", "XLA_CPU_JIT"} <= registered]
    from benchmarks.atlas import layers
    from benchmarks.atlas.compositions import COMPOSITIONS

    return [*ops, *layers.calls(), *(PREFIX + name for name in COMPOSITIONS)]


def variants(call: Call) -> Iterator[tuple[str, Call]]:
    """The call in each element type that a kernel may take; the types of what runs are found by trying."""
    from benchmarks.atlas.states import calls
    from benchmarks.provoke.values import KINDS, WHOLE

    if ":" in call.op:
        yield "float32", call
        return
    inputs = [(n, v if isinstance(v, Value) else v[0]) for n, v in call.inputs]
    first = next(((n, v) for n, v in inputs if v.dtype not in (STRING, VARIANT)), None)
    if first is None:
        yield "", call
        return
    name, value = first
    if call.op in calls() and name in ("shape", "resource") and value.dtype in WHOLE:
        yield "", call  # a size or a state, which says nothing of the type that is drawn
        return
    yield _type_name(value.dtype), call
    for dtype in _TYPES:
        other = typed(call, name, dtype) if dtype != value.dtype and dtype in KINDS else None
        if other is not None:
            yield _type_name(dtype), other


def _type_name(dtype: int) -> str:
    import tensorflow as tf

    return str(tf.as_dtype(dtype).name)


def _of_edges(ways: Ways, name: str, dtype: str, tried: Iterable[Edge], progress: Progress) -> Iterator[dict[str, Any]]:
    before = {(r["dtype"], r["edge"], r["argument"]) for r in progress.rows if "edge" in r and r["edge"] != "valid"}
    reference = None if name.startswith(PREFIX) else Reference(ways)
    for edge in tried:
        if (dtype, edge.kind, edge.argument) in before:
            continue
        row = {"name": name, "dtype": dtype, "edge": edge.kind, "argument": edge.argument}

        def allowed(way: str, at: tuple[str, ...] = (dtype, edge.kind, edge.argument)) -> str:
            return "" if progress.trying((*at, way)) else progress.fatal[digest((*at, way))]

        outcomes = ways.outcomes(edge, allowed)
        if not outcomes:
            continue
        refused = next((way for way in ("eager", "xla") if outcomes[way].error), None)
        if edge.kind == "valid" and refused is not None and outcomes[refused].error not in FATES:
            yield {**row, "refused": refused, "words": outcomes[refused].words}
            return
        found = _compared(outcomes)
        kind = found.get("xla", {}).get("kind", "")
        # The result in float64 is a call of its own, which can end the process, too.
        if reference is not None and kind in NUMBERS and not allowed("float64"):
            units = reference.errors(edge, outcomes)
            found |= {"units": {way: str(far) for way, far in units.items()}} if units else {}
        yield {**row, **found}


def _compared(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """What a row says of how they differ."""
    eager, xla = outcomes["eager"], outcomes["xla"]
    fate = next((o.error for o in (xla, outcomes.get("xla-again", xla)) if o.error in FATES), "")
    if fate:
        return {"xla": {"kind": fate}}
    if difference(eager, outcomes["again"]).kind:
        return {"again": True}
    found = {way: _as_json(difference(eager, outcomes[way])) for way in ("graph", "xla")}
    apart = difference(xla, outcomes.get("xla-again", xla))
    if apart.kind:
        found["xla"] = _as_json(replace(apart, kind="unrepeatable"))
    return {**found, "eager": eager.error, "words": eager.words or xla.words}


def _as_json(found: Difference) -> dict[str, Any]:
    size = found.size if math.isfinite(found.size) else None
    return {"kind": found.kind, "size": size, "shown": list(found.shown)} if found.kind else {}


def main() -> None:
    """Run what is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument(
        "--only", default="", metavar="PREFIX", help="ops whose names begin so, or `NAME$`; several by commas"
    )
    parser.add_argument("--types", type=int, default=99, metavar="N", help="at most N element types of an op")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave the first N element types out")
    parser.add_argument("--dtypes", default="", metavar="TYPE", help="element types; several by commas")
    parser.add_argument("--edges", default="", metavar="KIND", help="kinds of input; several by commas")
    parser.add_argument(
        "--share", type=float, default=100.0, metavar="PERCENT", help="of the ops, by the hash of --seed and the name"
    )
    parser.add_argument("--seed", default="", help="another seed chooses others")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="ops at once (2)")
    asked = parser.parse_args()
    surroundings()
    import tensorflow  # noqa: F401 - before the fork

    found = names()
    chosen = [
        n for n in found if f"{n}$".startswith(tuple(asked.only.split(","))) and _drawn(asked.seed + n) < asked.share
    ]
    sys.stderr.write(f"{len(chosen)} of {len(found)} ops\n")
    chosen_edges, chosen_types = (tuple(filter(None, text.split(","))) for text in (asked.edges, asked.dtypes))
    part = Part(asked.types, asked.skip, chosen_edges, chosen_types)
    run(chosen, messages(known_calls(), part), asked.journal, asked.jobs)


def known_calls() -> dict[str, str]:
    """{op: the valid call that is known}."""
    with BASES.open(encoding="utf-8", newline="") as file:
        return {row["op"]: row["call"] for row in csv.DictReader(file)}


def _drawn(text: str) -> float:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big") / 2**32 * 100


if __name__ == "__main__":
    main()
