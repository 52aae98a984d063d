"""What an event of each kind holds: the fields that readers rely on, and their types.

Derived from what the recorders write (`probes/record`). An event that does not fit is left out when a run folder is
read, and counted; a field that is not named here is kept as it is, and so is an event of a kind that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xladoctor.recording.schema import schema
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

_EVERY: Fields = {"seq": whole, "t": number, "kind": text}

WHERE = maybe(record({}, {"file": maybe(text), "line": maybe(whole), "function": maybe(text)}))
_CAUGHT = maybe(
    record(
        {},
        {
            "file": maybe(text),
            "line": maybe(whole),
            "function": maybe(text),
            "gives": maybe(text),
            "keeps": maybe(flag),
            "turns": maybe(flag),
        },
    )
)
_ELEMENTS = record({"shape": shape, "count": whole, "first": either(whole, text)})
_UNEVEN = record({"name": text, "length": whole, "shapes": many(_ELEMENTS)})
FRAME = record({"file": text, "line": maybe(whole), "function": maybe(text)}, {"user": flag, "uneven": many(_UNEVEN)})
_TENSOR = record(
    {"arg": text},
    {"kind": text, "tensor": maybe(text), "graph": maybe(text), "shape": maybe(shape), "dtype": maybe(text)},
)
_AXIS = record({"name": text, "value": whole, "source": text})
_VARIABLE = maybe(text)
_ASKED = record({"module": text}, {"file": maybe(text), "line": maybe(whole), "set": flag, "same": flag})
_HELD = record(
    {"kind": text},
    {"shape": many(whole), "dtype": text, "value": number, "least": number, "most": number, "rest": whole,
     "index": text, "fraction": flag, "padded": flag, "grouped": flag, "by_text": flag,
     "keys": mapping(row(text, text)), "by_frequency": flag, "unlike_rows": flag, "rising": many(text)},
)  # fmt: skip
_CUT = record({"op": text, "why": text, "frames": many(FRAME)})
_STOP = record({"variables": many(text), "connected": flag, "cuts": many(_CUT)})
_LINK = record({}, {"exception": text, "message": text})

KINDS: dict[str, tuple[Fields, Fields]] = {
    schema.START: (
        {},
        {"schema": scalar, "argv": many(text), "executable": maybe(text), "prefix": maybe(text), "python": maybe(text),
         "cwd": maybe(text), "environment": mapping(text)},
    ),
    schema.SETTING: (
        {"store": text, "key": text, "action": text, "value": anything},
        {"where": WHERE, "site": maybe(whole), "graph": maybe(text), "frames": many(FRAME), "note": maybe(text),
         "asked": maybe(_ASKED)},
    ),
    schema.IMPORT: ({"module": text}, {"version": scalar, "file": maybe(text), "where": WHERE}),
    schema.PLACE_FOUND: (
        {"place": text, "contract": text},
        {"file": maybe(text), "line": maybe(whole), "axes": many(text), "origin": maybe(text)},
    ),
    schema.PLACE_MISSING: ({"place": text}, {"reason": maybe(text), "origin": maybe(text)}),
    schema.PLACE: (
        {"place": text, "contract": text, "phase": text, "call": whole, "tensors": many(_TENSOR)},
        {"graph": maybe(text), "scope": maybe(text), "axes": many(_AXIS), "caller": WHERE, "frames": many(FRAME)},
    ),
    schema.FIRST_OP: ({}, {"by": maybe(text), "devices": maybe(many(text)), "where": WHERE, "note": maybe(text)}),
    schema.XLA_PATH: (
        {"mechanism": text, "requested": text, "resolved": text},
        {"function": maybe(text), "where": WHERE, "note": maybe(text), "accelerators": maybe(whole),
         "elsewhere": maybe(text)},
    ),
    schema.MODEL: (
        {"action": text, "name": maybe(text)},
        {"where": WHERE, "by_call": flag, "policies": maybe(many(text))},
    ),
    schema.TRACE: (
        {"graph": maybe(text)},
        {"function": text, "python_name": maybe(text), "parent": maybe(text), "owner": maybe(whole),
         "defined": maybe(record({"file": text, "line": maybe(whole)}, {"function": maybe(text)})),
         "xla": maybe(flag), "inputs": many(anything), "arguments": maybe(mapping(text)), "seconds": maybe(number),
         "where": WHERE, "frames": many(FRAME), "capsule": maybe(entry)},
    ),
    schema.USE: ({"owner": whole}, {"graphs": many(text), "where": WHERE}),
    schema.GRAPH: ({"graph": maybe(text), "function": text}, {}),
    schema.CALL: (
        {"method": text, "phase": text, "call": whole},
        {"model": maybe(text), "rows_in": maybe(whole), "rows_out": maybe(many(maybe(whole))),
         "batch_size": maybe(whole), "batch_size_given": anything, "jit_compile": maybe(text), "capsule": maybe(entry),
         "where": WHERE, "epochs": anything, "shapes_out": anything, "by_row": maybe(flag),
         "policies": maybe(many(text)), "batches_seen": flag, "epochs_run": maybe(whole), "monitors": many(text)},
    ),
    schema.FAILURE: (
        {"failure": whole, "exception": text},
        {"state": text, "message": text, "module": maybe(text), "frames": many(FRAME), "chain": many(_LINK),
         "during": maybe(text), "capsule": maybe(entry), "partial": maybe(entry), "caught": _CAUGHT,
         "ppid": maybe(whole)},
    ),
    schema.CAPSULE: ({}, {"capsule": entry, "what": text, "function": maybe(text)}),
    schema.FIRST_CALL: ({"capsule": entry, "kept": flag}, {"why": maybe(text), "bytes": maybe(whole)}),
    schema.GRADIENT: ({"capsule": entry, "python_name": text}, {"graph": maybe(text), "xla": flag, "where": WHERE}),
    schema.MEETING: (
        {"op": text, "shapes": many(shape), "watched": many(flag)},
        {"given": flag, "where": WHERE, "frames": many(FRAME), "predicted": many(flag), "taught": WHERE},
    ),
    schema.LAYER: (
        {"layer": whole, "name": text, "cls": text, "inputs": many(maybe(shape)), "outputs": many(maybe(shape))},
        {"parent": maybe(whole), "model": flag, "made": WHERE, "called": WHERE, "parameters": whole,
         "trainable": whole},
    ),
    schema.NOT_FINITE: (
        {"what": text, "names": mapping(row(maybe(whole), text, text))},
        {"method": maybe(text), "call": maybe(whole), "model": maybe(text), "where": WHERE,
         "data": many(record({"name": text}, {"leaf": whole, "finite": maybe(flag), "index": many(whole),
                                              "value": text, "count": whole, "size": whole,
                                              "rows": many(whole), "columns": many(whole)}))},
    ),
    schema.LATER_CALL: ({"capsule": entry, "call": whole}, {"bytes": maybe(whole)}),
    schema.DATASET: (
        {"what": text},
        {"where": WHERE, "used": WHERE, "made": WHERE, "rows": many(whole), "method": maybe(text),
         "model": maybe(text), "shuffled": many(flag)},
    ),
    schema.SPLIT: (
        {"what": text, "rows": row(whole, whole)},
        {"where": WHERE, "used": WHERE, "model": maybe(text), "classes": row(whole, whole), "unseen": whole,
         "buffer": whole, "size": whole, "argument": text, "name": text, "factor": number,
         "loop": flag, "step": text, "at": row(whole, whole), "names": many(text), "numbers": row(number, number)},
    ),
    schema.NO_GRADIENT: (
        {"what": text},
        {"variables": many(text), "count": whole, "given": whole, "where": WHERE, "stops": maybe(many(_STOP)),
         "optimizer": text, "regularized": whole, "zeros": many(text),
         "trained": many(text), "moved": many(text), "same": many(text)},
    ),
    schema.NAMES: ({"file": text, "function": text, "names": mapping(_HELD)}, {}),
    schema.TABLE: (
        {"shape": many(whole)},
        {"dtype": maybe(text), "where": WHERE, "frames": many(FRAME), "pairs": flag, "of": text},
    ),
    schema.SCORE: (
        {"what": text, "rows": row(whole, whole), "names": many(text)},
        {"numbers": row(number, number), "distance": text, "where": WHERE, "made": WHERE},
    ),
    schema.DIRECT: ({"calls": whole}, {"model": maybe(text), "shape": maybe(many(whole)), "where": WHERE}),
    schema.KEPT: (
        {"path": many(row(text, text)), "before": text, "now": text},
        {"call": whole, "traces": whole, "readers": many(FRAME), "where": WHERE, "capsule": maybe(entry),
         "constants": mapping(many(text))},
    ),
    schema.MONITOR: (
        {"callback": text, "wanted": text, "reported": many(text)},
        {"epochs": whole, "model": maybe(text), "made": WHERE, "where": WHERE, "mode": text, "least": number,
         "most": number},
    ),
    schema.TRAINABLE: (
        {"what": text, "variables": many(text)},
        {"layer": text, "model": maybe(text), "count": whole, "where": WHERE, "used": WHERE},
    ),
    schema.IDLE_LAYER: ({"what": text, "layers": many(text)}, {"count": whole, "of": whole, "made": WHERE}),
    schema.LOSS_INPUT: (
        {"what": text, "loss": text},
        {"op": maybe(text), "least": maybe(number), "most": maybe(number), "where": WHERE, "frames": many(FRAME)},
    ),
    schema.TURNOVER: ({"optimizer": text, "optimizers": whole, "steps": whole}, {"where": WHERE}),
    schema.UNMOVED: (
        {"variables": many(text), "count": whole, "given": whole, "steps": whole},
        {"optimizer": maybe(text), "rate": maybe(number), "where": WHERE},
    ),
    schema.CROSSED: ({"of": text, "to": text, "swapped": flag, "optimizer": text}, {"where": WHERE}),
    schema.REPLACED: (
        {"what": text, "name": text, "of": text, "steps": whole},
        {"variable": maybe(text), "by": maybe(text), "where": WHERE},
    ),
    schema.NO_EFFECT: (
        {"what": text, "name": text},
        {"where": WHERE, "used": WHERE, "instead": text, "of": text, "times": whole},
    ),
    schema.SCHEDULE: ({"of": text, "numbers": mapping(number), "steps": whole}, {}),
    schema.LEFT_OUT: ({"what": text, "layer": text, "variables": many(text)}, {"where": WHERE}),
    schema.POLICY_TAKEN: ({}, {}),
    schema.MISNAMED: ({"name": text, "meant": text, "of": text}, {"where": WHERE}),
    schema.DRAW: (
        {"op": text, "key": many(text), "counter": many(text)},
        {"shape": maybe(shape), "where": WHERE},
    ),
    schema.SEED: ({"seed": text}, {"where": WHERE}),
    schema.PROBE_ERROR: ({}, {"hook": maybe(text), "error": maybe(text)}),
    schema.DROPPED: ({}, {"recorder": maybe(text), "kept": maybe(whole), "count": maybe(whole)}),
    schema.REHEARSAL: (
        {},
        {"files": many(text), "seen": maybe(text), "switch": maybe(either(text, mapping(anything)))},
    ),
    schema.END: ({}, {"state": maybe(text), "stay": many(text), "calls": maybe(mapping(whole)),
                      "compared": mapping(row(whole, whole))}),
    schema.BLOCK: ({"tensorflow": flag, "flags_read": flag}, {}),
    schema.UNSEEN: ({"function": text}, {"where": WHERE}),
}  # fmt: skip
"""{kind: (fields that every event of it has, fields that it may have)}."""


def why_unfit(event: Mapping[str, Any]) -> str | None:
    """The field for which an event cannot be used, or None where it can."""
    wrong = misfit(event, _EVERY, {})
    if wrong is None and event["kind"] in KINDS:
        wrong = misfit(event, *KINDS[event["kind"]])
    if wrong is None and event["kind"] == schema.FAILURE and event.get("state") == "raised" and "message" not in event:
        wrong = "message"
    if wrong is None and event["kind"] == schema.SETTING and event["store"] == "env" and not _VARIABLE(event["value"]):
        wrong = "value"
    return wrong
