"""A reshape whose element counts do not agree.

Format strings: tensorflow/core/kernels/reshape_op.h, tensorflow/compiler/tf2xla/kernels/reshape_op.cc,
tensorflow/core/ops/array_ops.cc (SetOutputShapeForReshape), numpy's multiarray/shape.c,
tensorflow/python/framework/{constant_op,tensor_util}.py.
"""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, Any

from xladoctor.rules.forms import SHAPE, N, static_shapes
from xladoctor.rules.matching import Hit, factors, find, flat, pattern, shape

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """Numbers and, where shown, shapes of a failed reshape."""
    found = find(
        text,
        "the requested shape",
        rf"Input to reshape is a (?:Sparse)?[Tt]ensor with {N} (?:dense )?values, but the "
        rf"requested shape (has|requires a multiple of) {N}",
    )
    if found:
        return _hit(record, text, int(found[1]), int(found[3]), None, multiple=found[2] != "has")
    found = find(
        text,
        "annot reshape a tensor",
        rf"[Cc]annot reshape a tensor with {N} elements to shape {SHAPE} \({N} elements\)",
    )
    if found:
        return _hit(record, text, int(found[1]), int(found[3]), shape(found[2]))
    found = find(text, "annot reshape array", rf"[Cc]annot reshape array of size {N} into shape {SHAPE}")
    if found:
        target = shape(found[2])
        return _hit(
            record,
            text,
            int(found[1]),
            prod(d or 1 for d in target),
            target,
            multiple=None in target or "-1" in found[2],
        )
    found = find(
        text,
        "evenly divisible by",
        rf"Dimension size must be evenly divisible by {N} but is {N} for .{{1,400}}?= Reshape\[",
    )
    if found:
        return _hit(record, text, int(found[2]), int(found[1]), None, multiple=True)
    found = find(
        text,
        "total size of",
        rf"total size of the tensor must be unchanged.{{0,60}}?input_shape ?= ?{SHAPE}, "
        rf"target_shape ?= ?{SHAPE}",
    )
    if found:
        source, target = shape(found[1]), shape(found[2])
        return _hit(record, text, prod(d or 1 for d in source), prod(d or 1 for d in target), target)
    found = find(
        text,
        "Reshape operation has mismatched element counts",
        rf"mismatched element counts: from={N} .{{0,200}}?to={N}",
    ) or find(text, "must be equal to", rf"[Rr]eshape.{{1,80}}?{N} \(.{{1,120}}?{N} \(")
    if found:
        return _hit(record, text, int(found[1]), int(found[2]), None)
    return _constant(record, text)


def _constant(record: ErrorRecord, text: str) -> Hit | None:
    """A constant that is given another shape (tensorflow/python/framework/{constant_op,tensor_util}.py)."""
    found = find(
        text,
        "with unsupported shape",
        rf"has {N} elements, (?:but got `shape`|shape is) {SHAPE} with {N} elements",
    )
    if found:
        return _hit(record, text, int(found[1]), int(found[3]), shape(found[2]))
    found = find(
        text, "Too many elements provided", rf"elements provided\. (?:Needed|Takes) at most {N}, but received {N}"
    )
    if found:
        return _hit(record, text, int(found[2]), int(found[1]), None)
    return None


def _hit(
    record: ErrorRecord,
    text: str,
    have: int,
    want: int,
    target: tuple[int | None, ...] | None,
    *,
    multiple: bool = False,
) -> Hit:
    details: dict[str, Any] = {"have": have, "want": want}
    if multiple:
        details["multiple_of"] = want
    else:
        seen = [(s, "input shapes") for s in static_shapes(text)[:1]]
        if target:
            details["target"] = list(target)
            seen.append((target, "target shape"))
        seen += [(s, "shown above or in the message") for s in _shown(record)]
        details["factors"] = {"have": factors(have, seen), "want": factors(want, seen)}
        details["ambiguous"] = {side: len(found) > 1 for side, found in details["factors"].items()}
        if want:
            common = gcd(have, want)
            times, of = have // common, want // common
            details["ratio"] = times if of == 1 else f"{times}/{of}"
    message = (
        f"A tensor of {have} values is reshaped to a shape that takes {'a multiple of ' if multiple else ''}{want}"
    )
    if target:
        message += " (" + ", ".join("?" if d is None else str(d) for d in target) + ")"
    if not multiple and want and have % want == 0:
        message += f": {have // want} times too many"
    elif not multiple and have and want % have == 0:
        message += f": {want // have} times too few"
    return Hit(message + ".", dims=(have, want), op="Reshape", details=details)


def _shown(record: ErrorRecord) -> list[tuple[int | None, ...]]:
    """Other shapes that the log shows with this error: Keras' list of arguments, shapes printed in the lines above."""
    found = pattern(r"shape=(\([^()]{1,200}\))").findall(flat(record.text))
    above = flat(" ".join(record.before[-15:]))
    found += pattern(r"[Ss]hape[=: ]{1,3}(?:TensorShape\()?([\[(][^\[\]()]{1,200}[\])])").findall(above)
    return list(dict.fromkeys(shape(f) for f in found))
