"""What the files of a run folder hold besides events: the fields that readers rely on, and their types.

A field of `run.json` that does not fit is left out; an answer, a flip or a place that does not fit is left out whole.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from xladoctor.model.answers import WorkerAnswer
from xladoctor.model.capsule import Capsule
from xladoctor.model.ops import SizeOrigin, WorkerOp
from xladoctor.protocol import codec
from xladoctor.recording.typed import (  # fmt: skip
    Check,
    anything,
    either,
    entry,
    flag,
    many,
    mapping,
    maybe,
    misfit,
    number,
    record,
    row,
    scalar,
    shape,
    text,
    whole,
)

Fields = Mapping[str, Check]
T = TypeVar("T")

_OUTCOME = record(
    {"state": text},
    {"code": maybe(whole), "signal": maybe(text), "seconds": maybe(number), "probes": text, "probes_note": maybe(text)},
)
RUN: Fields = {
    "schema": scalar,
    "tool_version": text,
    "command": many(text),
    "cwd": text,
    "host": mapping(scalar),
    "environment": mapping(text),
    "flags": many(mapping(text)),
    "pid": whole,
    "started": number,
    "ended": number,
    "outcome": _OUTCOME,
    "block": flag,
}

_SOURCE = row(text, maybe(whole), maybe(text))
_OCCURRENCE = record(
    {"path": many(text), "state": text},
    {"function": maybe(text), "order": many(whole), "iterations": many(whole), "shapes": mapping(maybe(shape)),
     "positions": mapping(many(whole))},
)  # fmt: skip
_SHAPES = record(
    {},
    {"occurrences": mapping(many(_OCCURRENCE)), "failed": many(record({}, {"node": maybe(text)})),
     "notes": many(text)},
)  # fmt: skip
_BAKED = record(
    {"op": text, "node": text, "argument": text, "from": many(record({"kind": text, "name": text}))},
    {"sources": many(_SOURCE),
     "recompiles": maybe(record({}, {"seconds": maybe(row(number, number, number)), "again": maybe(flag)}))},
)  # fmt: skip
_DRAW = record(
    {"op": text, "node": text},
    {"key": maybe(many(text)), "counter": maybe(many(text)), "shape": maybe(shape), "same": maybe(flag),
     "fixed": flag, "mask": flag, "sources": many(_SOURCE), "call_sources": many(many(_SOURCE))},
)  # fmt: skip
_PARTING = record(
    {"op": text, "node": text},
    {"sources": many(_SOURCE), "call_sources": many(many(_SOURCE)), "shapes": many(maybe(shape)), "exact": flag,
     "flushed": flag},
)  # fmt: skip
_AGREEMENT = record(
    {"result": text},
    {"why": maybe(text), "kind": text, "output": text, "shapes": many(shape), "deviation": anything,
     "plain": many(text), "xla": many(text), "message": maybe(text), "error": maybe(text),
     "function": text, "held": many(text), "draws": many(_DRAW), "calls": whole, "call": maybe(whole),
     "clustered": flag, "node": maybe(_PARTING), "before": maybe(_PARTING),
     "tie": maybe(_PARTING)},
)  # fmt: skip
_SLOPE = record(
    {"mark": whole, "kind": text},
    {"argument": whole, "output": whole, "factor": number, "apart": number, "how": text, "op": text, "exact": flag,
     "shapes": many(many(whole))},
)  # fmt: skip
_SLOPES = record({"result": text}, {"found": many(_SLOPE), "passed": many(whole)})
_ISOLATION = record(
    {"op": text, "node": text, "message": text, "mode": text},
    {
        "path": many(text),
        "layer": maybe(text),
        "location": maybe(text),
        "inputs": many(mapping(anything)),
        "ops": whole,
    },
)
ANSWER: Fields = {"capsule": entry, "request": text}
_ANSWER_MAY: Fields = {"batch": maybe(whole), "error": text, "later": flag, "asked": mapping(anything), "why": text}


def _read_as(kind: type[Any]) -> Check:
    """A value of a class, by its annotations, without a number beyond 64 bits."""
    return lambda value: _in_64_bits(value) and any(True for _ in fitting(kind, [value]))


def _in_64_bits(value: Any) -> bool:
    if isinstance(value, dict | list):
        return all(map(_in_64_bits, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or isinstance(value, bool) or whole(value)


_TWO_WAYS = record(
    {"function": text, "switch": text, "parameters": many(text), "file": text, "dispatch": whole, "relation": text,
     "where": record({"file": text}, {"line": whole, "function": text})},
    {"deviation": number, "argument": maybe(whole), "factor": maybe(number)},
)  # fmt: skip
_EXPLAINED = record(
    {"result": text},
    {"relation": maybe(text), "residual": number, "other": maybe(number), "factor": number, "rows": whole,
     "change": maybe(text), "meeting": many(_SOURCE), "used": many(many(_SOURCE)), "rest": many(many(_SOURCE)),
     "transforms": many(many(_SOURCE))},
)  # fmt: skip
_RESULTS: Mapping[str, Check] = {
    "failing_op": maybe(_read_as(WorkerOp)),
    "birth": maybe(_read_as(SizeOrigin)),
    "rows_birth": maybe(_read_as(SizeOrigin)),
    "shapes": maybe(_SHAPES),
    "baked": maybe(many(_BAKED)),
    "agreement": _AGREEMENT,
    "own_gradients": _SLOPES,
    "isolation": maybe(_ISOLATION),
    "two-ways": _TWO_WAYS,
    "explain": _EXPLAINED,
}
"""Results of the questions that a diagnosis reads."""

_SHAPE_AFTER: Fields = {"file": text, "line": whole, "name": text, "shape": shape, "dtype": text}

_FRAME = record({"file": text}, {"line": maybe(whole), "function": maybe(text)})
_LAYER = record({"name": text, "class": text}, {})
_VALUE = maybe(either(number, text))
_INPUT = record({}, {"dtype": text, "shape": many(whole), "at": _VALUE, "min": _VALUE, "max": _VALUE})
_FORWARD = record({"op": text}, {"node": maybe(text), "frames": many(_FRAME), "layer": maybe(_LAYER)})
_FOUND = record(
    {},
    {"op": maybe(text), "node": maybe(text), "graph": maybe(text), "made": text, "value": text, "index": many(whole),
     "shape": many(whole), "dtype": text, "inputs": many(_INPUT), "run": whole, "start": _VALUE,
     "frames": many(_FRAME), "layer": maybe(_LAYER), "gradient_of": maybe(_FORWARD), "source": text,
     "name": maybe(text), "reached": text, "by": text, "through_gradient": flag, "loop": flag},
)  # fmt: skip

_PLACE: Fields = {"name": text}
_PLACE_MAY: Fields = {"contract": text, "axes": maybe(mapping(text))}

_CAPSULE: Fields = {"xla": flag, "complete": flag, "graphs": mapping(many(text))}


def only_fitting(value: Mapping[str, Any], fields: Fields) -> tuple[dict[str, Any], list[str]]:
    """An object without the fields that have another type than they should, and the names of those."""
    wrong = [name for name, check in fields.items() if name in value and not check(value[name])]
    return {name: item for name, item in value.items() if name not in wrong}, wrong


def capsule_of(described: Mapping[str, Any], recipe: Mapping[str, Any]) -> Capsule:
    """A capsule, by its `capsule.json` and `recipe.json`: empty where there are none."""
    fields = {name: described[name] for name, check in _CAPSULE.items() if name in described and check(described[name])}
    values = recipe.get("data")
    return Capsule(**fields, known=bool(described), values=values if isinstance(values, str) else None)


def answer_of(value: Mapping[str, Any]) -> WorkerAnswer | None:
    """An answer of a worker; None where it has not what it should, and what it holds cannot be read."""
    if misfit(value, ANSWER, _ANSWER_MAY) is not None or not ("result" in value or "error" in value):
        return None
    if not _RESULTS.get(value["request"], anything)(value.get("result")):
        return None
    names = ("result", *ANSWER, *_ANSWER_MAY)
    return WorkerAnswer(**{name: value[name] for name in names if name in value})


def fitting(kind: type[T], values: Any) -> Iterator[T]:
    """Those of a list that are of a class, by its annotations; none where it is no list."""
    for value in values if isinstance(values, list) else ():
        with contextlib.suppress(codec.Misfit):
            yield codec.read(kind, value)


def is_shape_after(value: Any) -> bool:
    """Whether it is the shape that a name has after a line."""
    return isinstance(value, dict) and misfit(value, _SHAPE_AFTER, {}) is None


def is_first_nan(value: Mapping[str, Any]) -> bool:
    """Whether it is what a search for the first NaN gave."""
    return (
        misfit(value, {"found": maybe(_FOUND)}, {"why": maybe(text), "tests": many(text), "compares": many(text)})
        is None
    )


def is_place(value: Any) -> bool:
    """Whether it is a place of the user's, as `places.json` lists it."""
    return isinstance(value, dict) and misfit(value, _PLACE, _PLACE_MAY) is None


def sources_of(value: Any) -> dict[str, dict[str, list[list[Any]]]]:
    """{graph uid: {node: user frames, innermost last}}, without the nodes whose frames are none."""
    if not isinstance(value, dict):
        return {}
    frames = many(_SOURCE)
    return {
        graph: {node: given for node, given in nodes.items() if frames(given)}
        for graph, nodes in value.items()
        if isinstance(nodes, dict)
    }
