"""What a finding's `details` say, in words. What has no words here is in the JSON only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xladoctor.model.diagnosis import Finding
from xladoctor.model.shapes import shape_text
from xladoctor.report.facts import count

_STACK = 3


def known(finding: Finding) -> list[tuple[str, list[str]]]:
    """(what, values) of every detail that has words, in a fixed order; the values are names, places and shapes."""
    rows = []
    for key, words in _WORDS.items():
        value = finding.details.get(key)
        if value not in (None, "", [], (), {}):
            rows += [(what, said) for what, said in words(value) if said]
    return rows


def unknown(finding: Finding) -> dict[str, Any]:
    """The details that have neither words nor a place of their own in a report."""
    return {key: value for key, value in finding.details.items() if key not in _WORDS and key not in _ELSEWHERE}


def _birth(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict) and value.get("op"):
        given = [shape_text(item["shape"]) for item in _dicts(value.get("inputs")) if item.get("shape")]
        into = f"{', '.join(given) or 'no tensor'} -> {shape_text(value.get('shape'))}"
        yield "the op in which the size originates", [str(value["op"]), str(value.get("node") or ""), into]


def _failing_op(value: Any) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(value, dict):
        return
    yield "the op that fails", [str(value[key]) for key in ("op", "node") if value.get(key)]
    given = []
    for item in _dicts(value.get("inputs")):
        held = item.get("value")
        given.append(shape_text(item.get("shape")) + (f" holding {shape_text(held)}" if held is not None else ""))
    yield "what goes into it", given
    if value.get("function"):
        yield "the function that it is in", [str(value["function"])]


def _met(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict) and value.get("place"):
        inputs = value.get("inputs")
        given = [f"{name} {shape_text(s)}" for name, s in inputs.items()] if isinstance(inputs, dict) else []
        yield "the watched place before it", [str(value["place"]), *given]
        if value.get("caller"):
            yield "called at", [str(value["caller"])]


def _named(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        yield "the op that fails in plain execution", [str(value[key]) for key in ("op", "node") if value.get(key)]


def _stack(what: str) -> Callable[[Any], Iterator[tuple[str, list[str]]]]:
    def words(value: Any) -> Iterator[tuple[str, list[str]]]:
        if isinstance(value, list | tuple):
            yield what, [str(frame) for frame in value[:_STACK]]

    return words


def _plain(what: str) -> Callable[[Any], Iterator[tuple[str, list[str]]]]:
    def words(value: Any) -> Iterator[tuple[str, list[str]]]:
        several = isinstance(value, list | tuple) and any(isinstance(item, list | tuple | str) for item in value)
        yield what, [shape_text(item) for item in (value if several else [value])]

    return words


def _last_batch(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict) and value.get("rows"):
        yield "the last batch", [f"{value['rows']} rows in batches of {value.get('size')} leave {value.get('left')}"]


def _violations(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, int) and value > 1:
        yield "contracts broken in this step", [count(value, "tensor")]


_WORDS: dict[str, Callable[[Any], Iterator[tuple[str, list[str]]]]] = {
    "birth": _birth,
    "born": _stack("the lines there, innermost first"),
    "callers": _stack("the place was called from"),
    "defined": _plain("the place is defined at"),
    "violations": _violations,
    "failing_op": _failing_op,
    "met": _met,
    "first_traced_by": _stack("the function was first traced from"),
    "plain_failure": _named,
    "failing_batch": _plain("the batch that fails"),
    "shapes": _plain("the shapes in the message"),
    "shapes_out": _plain("the shapes that came back"),
    "from": _plain("the size comes from"),
    "hlo": _plain("HLO"),
    "ops": _plain("ops"),
    "last_batch": _last_batch,
    "variable": _plain("variable"),
    "flags": _plain("flags"),
}

# Shown elsewhere in every report, or said by the message.
_ELSEWHERE = {
    *("contract", "expected", "seen", "bindings", "numbers", "place", "phase", "argument", "tensor"),
    *("have", "want", "factors", "ambiguous", "ratio", "coincidences", "multiple_of"),
    *("rows_in", "rows_out", "batch_size", "batches", "method", "model"),
    *("edits", "batching", "axis", "axes", "shape", "opcode", "kind", "layer_class", "target", "tensor_shape", "dtype"),
}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []
