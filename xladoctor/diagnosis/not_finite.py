"""A run that ended in NaN: which op made the first one, of which value, in which line; or which of its data.

The data come before the model: where what was given to the call is not finite, no op is blamed that only passed it on.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import ENDED, FOUND_NAN, NOT_TESTED, RECORDED_NUMBERS
from xladoctor.diagnosis.facts import is_user_file
from xladoctor.diagnosis.nan_causes import cause, masked_forward
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.reckoned import reckoned
from xladoctor.diagnosis.suspicion import Suspicion, overcome, suspicion
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.rules.outside import NAN_BY_HAND
from xladoctor.sources.names import last_name, nodes_of

_SLUG = "not-finite"
_HANDS_ON = frozenset({"OptionalGetValue", "IteratorGetNext", "Identity", "PartitionedCall", "StatefulPartitionedCall"})
"""Ops that make no value of their own: Keras takes the results of a step out of an optional."""
_CLEAN = "`np.isfinite(x).all()` before the training; drop such rows, or fill them with a value of your choice."
_WHOLE = "To drop such rows would leave none. The usual causes are a division by a spread of 0 and a logarithm of 0."


def with_not_finite(findings: Sequence[Finding], recording: Recording) -> tuple[Finding, ...]:
    """The findings, with one about the NaN in which the run ended, in place of what only its output says of it."""
    sign = suspicion(recording)
    made = finding(sign, recording) if sign is not None else None
    if sign is None or made is None:
        return tuple(findings)
    made = _softened(made, sign, recording)
    texts = [f for f in findings if f.slug == _SLUG and f.details.get("kind") == "nan"]
    rest = [f for f in findings if f not in texts]
    made = replace(made, evidence=(*made.evidence, *(p for f in texts for p in f.evidence)))
    errors = [f for f in rest if f.level == "error" and not _own_status(f, made, recording)]
    if made.level != "error" or errors:
        made = replace(made, role="consequence" if errors else made.role)
        return (*errors, made, *(f for f in rest if f.level != "error"))
    return (made, *(replace(f, role="consequence") for f in rest))


def _own_status(finding: Finding, made: Finding, recording: Recording) -> bool:
    """Whether it only says that the program ended with a status of its own choice, which the NaN can explain."""
    ended = recording.outcome
    return (
        finding.basis is ENDED and made.status == "confirmed"
        and ended is not None and ended.state == "exited" and ended.signal is None
    )  # fmt: skip


def finding(sign: Suspicion, recording: Recording) -> Finding | None:
    """What is to be said of a sign of NaN; None where a printed word is all there is."""
    answer = recording.first_nan
    found = answer.get("found")
    if isinstance(found, dict) and not found.get("source") and found.get("op") in _HANDS_ON:
        answer, found = {"why": f"the search ended at {found['op']}, which only passes values on"}, None
    if isinstance(found, dict):
        made = _of_source(sign, found, recording) if found.get("source") else _of_op(sign, found)
        return _weighed(made, sign, found)
    if sign.what in ("printed", "checked"):
        return None  # printed words alone are no sign of a failure, and a check has a finding of its own
    spoilt = [d for d in sign.data if d.get("finite") is False]
    made = _of_data(sign, spoilt[0]) if spoilt else _unexplained(sign, answer)
    return made if sign.serious else replace(made, level="warning")


def _softened(made: Finding, sign: Suspicion, recording: Recording) -> Finding:
    """A NaN after which the run ended well is no failure: a note where the program itself reckons with such values and
    has other results, as a search over learning rates does, else a warning.
    """
    well, known = overcome(recording, sign), reckoned(recording, sign)
    if known is None:
        # What a program prints last says little of what it printed before.
        if well is None or sign.what == "printed":
            return made
        return replace(made, message=f"{made.message} {well}", level="warning")
    well = well or known.well
    what = f"The weight {sign.name}" if sign.what == "weights" else sign.name
    title, does = f"{what} was {sign.value}, which the program tests for", "The program tests for such values"
    if known.by == "compares":
        title = f"{what} was {sign.value} in a trial that lost against others"
        does = "The program compares the results of its trials, and a NaN never wins"
    goes_on = well or "It ended with 0."
    return replace(
        made, level="note" if (well or _is_meant(sign, recording)) and known.by == "tests" else "warning", title=title,
        message=f"{_said(sign)} {does} ({known.place}). {goes_on} The doctor did not look for the op that made the "
                f"first one.",
        status="untested", basis=RECORDED_NUMBERS, remedies=(),
        details={**made.details, "handled": True, "tests": [known.place]},
    )  # fmt: skip


def _is_meant(sign: Suspicion, recording: Recording) -> bool:
    """Whether a result has a NaN that the program puts there: `tf.where(known, score, np.nan)`."""
    if sign.serious:
        return False
    calls = [c for tree in program_of(recording).values() for c in nodes_of(tree, ast.Call)]
    given = [a for c in calls if last_name(c.func) in _PUTS for a in c.args]
    return any(last_name(a) == "nan" or ast.unparse(a).lower() in ("float('nan')", "nan") for a in given)


_PUTS = frozenset({"fill", "full", "full_like", "ones_like", "select", "where"})


def _weighed(made: Finding, sign: Suspicion, found: Mapping[str, Any]) -> Finding:
    """An error where the loss or a weight is spoilt; a metric or a result alone may be without a value by design."""
    return made if sign.serious or found.get("reached") == "loss" else replace(made, level="warning")


def _of_op(sign: Suspicion, found: Mapping[str, Any]) -> Finding:
    why = cause(found)
    if found.get("through_gradient"):
        why = masked_forward(found, why)
    gradient = found.get("gradient_of")
    forward = gradient if isinstance(gradient, dict) else {}
    at = _line(forward.get("frames")) or _line(found.get("frames"))
    layer = found.get("layer") or forward.get("layer") or {}
    op = str(forward.get("op") or found.get("op"))
    name = "infinity" if found.get("made") == "inf" else "NaN"
    step = _step(found)
    place = f" in {_layer(layer)}" if layer else ""
    exploding = why.kind == "exploding"
    title = f"{why.what}{place}" if exploding else f"{why.what}{place}: the first {name}{step}"
    return Finding(
        code=by_slug(_SLUG).code, slug=_SLUG, level="error", role="root",
        title=title,
        message=f"{_said(sign)} The first value that is not finite was {found.get('value')}, element "
        f"{found.get('index')} of a {found.get('dtype')} tensor of shape {python_shape(found.get('shape'))}: "
        f"{why.what}{place}{f', {at}' if at else ''}.{_inputs(found)}"
        f"{_gradient_words(found, forward)}",
        op=op,
        node=str(found.get("node") or forward.get("node") or "") or None,
        layer=str(layer.get("name")) if layer else None,
        location=at,
        evidence=(Proof("worker", _proof(found), schema.FIRST_NAN_FILE), *_of_sign(sign)),
        status="confirmed", basis=FOUND_NAN, remedies=(why.remedy,),
        details={"kind": "nan", "cause": why.kind, "layer_class": (layer or {}).get("class")}
        | {k: found.get(k) for k in ("made", "value", "index", "shape", "dtype", "inputs", "run", "reached")},
    )  # fmt: skip


def _of_source(sign: Suspicion, found: Mapping[str, Any], recording: Recording) -> Finding:
    """The first NaN is in what the program was given: in its data, an argument, or a variable from a file."""
    spoilt = next((d for d in sign.data if d.get("finite") is False), None)
    kind = str(found.get("source"))
    at = sign.where or _line(found.get("frames"))
    if spoilt is not None and kind != "variable":
        made = _of_data(sign, spoilt)
        text = "The command was run again with the output of every op checked: no op made it; it came with the data."
        return replace(
            made, message=f"{made.message} {text}", status="confirmed", basis=FOUND_NAN,
            evidence=(*made.evidence, Proof("worker", f"the first value came as {kind}", schema.FIRST_NAN_FILE)),
        )  # fmt: skip
    name = f" {found['name']}" if found.get("name") else ""
    what = {
        "data": "The data that the program reads hold a NaN or an infinity",
        "argument": "An input of the program's step is not finite",
        "variable": f"The variable{name} held a NaN before the first step",
        "constant": "A constant of the program is NaN",
    }.get(kind, "A value that the program got is not finite")
    return Finding(
        code=by_slug(_SLUG).code, slug=_SLUG, level="error", role="root", title=what,
        message=f"{_said(sign)} The command was run again with the output of every op checked. No op made the first "
        f"value that is not finite: {what[0].lower()}{what[1:]}.",
        op=found.get("op") or "input", node=found.get("node"), location=at,
        evidence=(Proof("worker", f"the first value came as {kind}{name}", schema.FIRST_NAN_FILE), *_of_sign(sign)),
        status="confirmed", basis=FOUND_NAN,
        remedies=(Remedy("clean-data", "Look for the first value that is not finite in the data that the program "
                                       "reads", "safe", _CLEAN),),
        details={"kind": "nan", "cause": "data" if kind in ("data", "argument") else kind},
    )  # fmt: skip


def _of_data(sign: Suspicion, spoilt: Mapping[str, Any]) -> Finding:
    name, index = str(spoilt.get("name")), spoilt.get("index") or []
    leaf = f" (input {spoilt['leaf']})" if spoilt.get("leaf") else ""
    place = f"{name}[{', '.join(map(str, index))}]" if index else name
    count, size = spoilt.get("count"), spoilt.get("size")
    kind = "data" if not name.startswith("y") else "targets"
    rows, columns = spoilt.get("rows") or [0, 1], spoilt.get("columns") or []
    fix = Remedy(
        "clean-data",
        f"Drop or fill the values that are not finite in {name} ({count} of {size} values)",
        "safe",
        _CLEAN,
    )
    which = ""
    if rows[0] == rows[1]:
        # Without such rows nothing would be left.
        named = f"column {', '.join(map(str, columns))} of {name}" if columns else f"each row of {name}"
        which = f" Each of its {rows[1]} rows has one{f': {named} has no finite value' if columns else ''}."
        fix = replace(fix, title=f"Check how {named} is made: there is nothing finite to train on", how=_WHOLE)
    return Finding(
        code=by_slug(_SLUG).code, slug=_SLUG, level="error", role="root",
        title=f"{place}{leaf} is {spoilt.get('value')}: the {kind} given to {sign.method} are not finite",
        message=f"{_said(sign)} {count} of {size} values of {name}{leaf} are not finite, the first is {place}.{which}",
        op="input", location=sign.where,
        evidence=(Proof("event", f"{place} is {spoilt.get('value')}; {count} of {size} values", _where(sign)),
                  *_of_sign(sign)),
        status="untested", basis=RECORDED_NUMBERS,
        remedies=(fix,),
        details={"kind": "nan", "cause": "data", "index": index, "count": count},
    )  # fmt: skip


def _unexplained(sign: Suspicion, answer: Mapping[str, Any]) -> Finding:
    why = str(answer.get("why") or "the program was not run again")
    first = f" from epoch {sign.epoch} on" if sign.epoch else ""
    unseen = any(d.get("finite") is None for d in sign.data) or not sign.data
    data = " The data were not checked, because they are not arrays." if unseen else " Its data are finite."
    return Finding(
        code=by_slug(_SLUG).code, slug=_SLUG, level="error", role="root",
        title=f"{sign.name} is {sign.value}{first}",
        message=f"{_said(sign)}{data} Which op made the first such value was not checked: {why}.",
        location=sign.where, evidence=_of_sign(sign), status="untested", basis=NOT_TESTED,
        remedies=tuple(replace(remedy, how=NAN_BY_HAND) for remedy in by_slug(_SLUG).remedies),
        details={"kind": "nan", "cause": None},
    )  # fmt: skip


def _said(sign: Suspicion) -> str:
    """What was seen in the run itself."""
    if sign.what == "weights":
        after = "when the process ended" if sign.method == "exit" else f"after {sign.method}"
        return f"The weight {sign.name} held NaN {after}."
    if sign.what == "printed":
        return f"The program printed {sign.name} {sign.value}."
    if sign.what == "result":
        return f"{sign.method} gave NaN."
    if sign.what == "checked":
        return f"`{sign.method}` found {sign.value} in {sign.name} and ended the run."
    since = (
        f" from epoch {sign.epoch} on" if sign.epoch and sign.ends else f" in epoch {sign.epoch}" if sign.epoch else ""
    )
    return f"{sign.name} of {sign.method} was {sign.value if sign.ends else 'not finite'}{since}."


def _of_sign(sign: Suspicion) -> tuple[Proof, ...]:
    return (Proof("event" if sign.event else "log", _said(sign), _where(sign)),)


def _where(sign: Suspicion) -> str | None:
    event = sign.event
    return f"events-{event['pid']}.jsonl:{event['seq']}" if event is not None else None


def _step(found: Mapping[str, Any]) -> str:
    run = found.get("run")
    return f", at its execution {run}" if isinstance(run, int) and run > 1 else ""


def _inputs(found: Mapping[str, Any]) -> str:
    rows = [i for i in found.get("inputs") or [] if isinstance(i, dict)]
    told = [
        f"{python_shape(i.get('shape'))} with values from {_short(i.get('min'))} to {_short(i.get('max'))}"
        for i in rows
        if i.get("min") is not None
    ]
    return f" The inputs of the op were {', '.join(told[:4])}." if told else ""


def _gradient_words(found: Mapping[str, Any], forward: Mapping[str, Any]) -> str:
    if forward:
        return f" It occurred only in the gradient: the result of {forward.get('op')} itself was finite."
    if found.get("through_gradient"):
        return " Even if its result is not used, its gradient is not finite either, and that reached the weights."
    return ""


def _proof(found: Mapping[str, Any]) -> str:
    reached = {"loss": "the loss", "variable": "a variable", "result": "the result of a function"}
    node = f" ({found['node']})" if found.get("node") else ""
    to = reached.get(str(found.get("reached")), "no variable")
    return f"{found.get('op')}{node} gave {found.get('value')} of finite inputs; it reached {to}"


def _layer(layer: Mapping[str, Any]) -> str:
    name, kind = str(layer.get("name") or ""), str(layer.get("class") or "")
    return f"layer {name} ({kind})" if kind and kind.lower() != name.lower() else f"layer {name or kind}"


def _line(frames: Any) -> Location | None:
    """The innermost line of the user's."""
    for frame in frames or ():
        if isinstance(frame, dict) and is_user_file(str(frame.get("file"))):
            return Location(str(frame["file"]), frame.get("line"), frame.get("function"))
    return None


def _short(value: Any) -> str:
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return str(value)
