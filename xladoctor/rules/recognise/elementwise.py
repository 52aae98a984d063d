"""Operands of element-wise ops that do not broadcast.

Format strings: tensorflow/core/util/bcast.h and its users, core/framework/common_shape_fns.cc,
core/kernels/{cwise_ops_common,aggregate_ops}.cc, compiler/tf2xla/kernels, xla/service/shape_inference.cc.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from xladoctor.rules.forms import SHAPE, static_shapes
from xladoctor.rules.matching import Hit, find, shape
from xladoctor.rules.recognise.operands import EQUAL, JOINS, PRODUCTS, Shape, show, without_dtype

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


_PAIRS = (
    (
        "ncompatible shapes",
        rf"[Ii]ncompatible shapes(?: for broadcasting)?:? {SHAPE}(?:,? (?:vs\.?|and|<|&) | , "
        rf")(?:\w+ )?{SHAPE}",
    ),
    # numpy/_core/src/multiarray/ctors.c: what is assigned does not fit where it is put
    ("broadcast input array", rf"not broadcast input array from shape {SHAPE} into shape {SHAPE}"),
    ("could not be broadcast", rf"could not be broadcast together with shapes {SHAPE} {SHAPE}"),
    ("must be broadcastable", rf"condition {SHAPE}, then {SHAPE}, and else {SHAPE} must be broadcastable"),
    (
        "must have the same size and shape",
        rf"must have the same size and shape\.? +Input 0: {SHAPE} != input \d{{1,4}}: {SHAPE}",
    ),
    ("nputs have incompatible shapes", rf"[Ii]nputs have incompatible shapes\. Received shapes {SHAPE} and {SHAPE}"),
    (
        "Incompatible shapes",
        rf"Incompatible shapes (?:at component \d{{1,4}}|between .{{1,60}}?|of a and "
        rf"b).{{0,60}}?{SHAPE}.{{1,30}}?{SHAPE}",
    ),
    ("Binary op", r"Binary op .{1,60}? shapes: ?(\w{1,8}\[.{0,99}?\])(?: and |, )(\w{1,8}\[.{0,99}?\])"),
    # tensorflow/core/kernels/xent_op.cc
    (
        "labels must be broadcastable",
        rf"logits and labels must be broadcastable: logits_size={SHAPE} labels_size={SHAPE}",
    ),
    ("incompatible shapes for broadcasting", rf"incompatible shapes for broadcasting {SHAPE} and {SHAPE}"),
    # keras/src/ops/operation_utils.py (broadcast_shapes)
    ("cannot be broadcasted", rf"cannot be broadcasted to \S{{1,12}}\. Input shapes are: {SHAPE} and {SHAPE}"),
    # keras/src/layers/merging/base_merge.py; keras/layers/merge.py
    (
        "not merge tensors with different batch sizes",
        rf"with different batch sizes\. (?:Received|Got) (?:inputs|tensors) with shapes ?:? ?\[{SHAPE}, {SHAPE}",
    ),
    ("broadcast a tensor of shape", rf"broadcast a tensor of shape {SHAPE} to (?:shape )?{SHAPE}"),
)
# numpy/_core/src/multiarray/mapping.c
_BOOLEAN_INDEX = (
    r"boolean index did not match indexed array along (?:axis|dimension) (\d{1,3}); (?:size of axis|dimension) is "
    r"(\d{1,12}) but (?:size of corresponding boolean axis|corresponding boolean dimension) is (\d{1,12})"
)


def broadcast(record: ErrorRecord, text: str) -> Hit | None:
    """Operands of an element-wise op, of `where`, `add_n` or `broadcast_to`."""
    if "is not compatible with" in text and "layer" in text:
        return None
    for literal, source in _PAIRS:
        found = find(text, literal, source)
        if found:
            return _pair([shape(without_dtype(g)) for g in found.groups()])
    found = find(text, "Dimensions must be equal", EQUAL)
    if found and found[3] not in PRODUCTS and found[3] not in JOINS:
        return _pair(static_shapes(text), numbers=(int(found[1]), int(found[2])), op=found[3])
    if "required broadcastable shapes" in text:
        return _pair([])
    found = find(text, "boolean index did not match", _BOOLEAN_INDEX)
    if found:
        axis, rows, selected = (int(n) for n in found.groups())
        return Hit(
            f"A boolean index of {selected} elements is used on axis {axis} of an array that has {rows} there.",
            dims=(rows, selected),
            details={"axis": axis, "key": "boolean index"},
        )
    return None


def _pair(pair: list[Shape], *, numbers: tuple[int, ...] = (), op: str | None = None) -> Hit:
    axes: list[dict[str, Any]] = []
    for left, right in pairwise(pair):
        for back in range(1, min(len(left), len(right)) + 1):
            a, b = left[-back], right[-back]
            if a is not None and b is not None and a != b and 1 not in (a, b):
                axes.append({"axis": -back, "sizes": [a, b]})
    if not numbers and len(axes) == 1:
        numbers = tuple(axes[0]["sizes"])
    if not numbers:
        numbers = tuple(d for s in pair for d in s if d is not None)
    details: dict[str, Any] = {"shapes": [list(s) for s in pair], "axes": axes}
    if len(numbers) == 2 and min(numbers) > 0 and max(numbers) % min(numbers) == 0:
        details["ratio"] = max(numbers) // min(numbers)
    if not pair:
        message = "An element-wise operation got shapes that do not broadcast"
        message += f": {numbers[0]} against {numbers[1]}." if len(numbers) == 2 else "; the message does not say which."
    else:
        message = f"An element-wise operation combines shapes {' and '.join(show(s) for s in pair)}"
        message += (
            f": {numbers[0]} against {numbers[1]}, and neither is 1."
            if len(numbers) == 2
            else ", which do not broadcast."
        )
    return Hit(message, dims=numbers, op=op, details=details)
