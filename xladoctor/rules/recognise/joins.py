"""Inputs of concat, stack and batch that do not agree.

Format strings: tensorflow/core/kernels/{concat_op,pack_op}.cc, core/data/dataset_utils.cc,
core/framework/{common_shape_fns,shape_inference}.cc, xla/service/shape_inference.cc,
tensorflow/python/framework/op_def_library.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, N, static_shapes
from xladoctor.rules.matching import Hit, find, shape, shapes
from xladoctor.rules.recognise.operands import JOINS, Shape, show, without_dtype

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


_JOINED = (
    (
        "in both shapes must be equal: shape",
        rf"Dimension \d{{1,3}} in both shapes must be equal: shape\[0\] = {SHAPE} vs\. "
        rf"shape\[\d{{1,4}}\] = {SHAPE}",
        "ConcatV2",
    ),
    (
        "imensions of inputs should match",
        rf"imensions of inputs should match: shape\[0\] ?= ?{SHAPE} vs\. shape\[\d{{1,4}}\] ?= ?{SHAPE}",
        "ConcatV2",
    ),
    (
        "anks of all",
        rf"anks of all (?:input|inputs )?\s?tensors should match: shape\[0\] ?= ?{SHAPE} vs\. "
        rf"shape\[\d{{1,4}}\] ?= ?{SHAPE}",
        "ConcatV2",
    ),
    (
        # tensorflow/core/data/dataset_utils.cc (CopyBatch); below: core/util/batch_util.cc, up to 2.4
        "Cannot batch tensors with different shapes",
        rf"First element had shape {SHAPE} and element \d{{1,9}} had shape {SHAPE}",
        "",
    ),
    (
        "Cannot add tensor to the batch",
        rf"Shapes are: \[tensor\]: {SHAPE}, \[batch\]: {SHAPE}",
        "",
    ),
    ("annot concatenate arrays", rf"annot concatenate arrays that .{{1,160}}?: {SHAPE} vs {SHAPE}", "ConcatV2"),
    (
        # keras/src/ops/numpy.py (Stack)
        "must have the same shape. But found",
        rf"found element of shape {SHAPE}, which is different from the first element's shape {SHAPE}",
        "Pack",
    ),
    (
        "Shapes of all inputs must match",
        rf"Shapes of all inputs must match: values\[\d{{1,4}}\]\.shape = {SHAPE} != "
        rf"values\[\d{{1,4}}\]\.shape = {SHAPE}",
        "Pack",
    ),
)
_MERGED = (
    rf"Dimension \d{{1,3}} in both shapes must be equal, but are {N} and {N}\. Shapes are "
    rf".{{1,200}}? for '.{{1,300}}?(?:= |op: ')(\w{{1,40}})"
)


def concat(record: ErrorRecord, text: str) -> Hit | None:
    """Inputs of concat and stack."""
    for literal, source, op in _JOINED:
        found = find(text, literal, source)
        if found:
            return _joined([shape(without_dtype(found[1])), shape(without_dtype(found[2]))], op)
    found = find(
        text,
        "`Concatenate` layer requires",
        r"except for the concatenation axis\. (?:Received|Got inputs shapes): "
        r"(?:input_shape=)?\[(.{1,400}?)\]",
    )
    if found:
        return _joined(shapes(found[1]), "ConcatV2")
    found = find(text, "in both shapes must be equal", _MERGED)
    if found and found[3] in JOINS:
        return _joined(
            static_shapes(text)[: 2 if found[3] != "Pack" else None], found[3], (int(found[1]), int(found[2]))
        )
    found = find(
        text,
        "must match. Input",
        rf"ll dimensions except \d{{1,3}} must match\. Input \d{{1,4}} has shape {SHAPE} and doesn't match input "
        rf"\d{{1,4}} with shape {SHAPE}",
    )
    if found:
        return _joined([shape(found[2]), shape(found[1])], "ConcatV2")
    found = find(
        text,
        "must match exactly",
        rf"input array dimensions .{{0,80}}? must match exactly, but along dimension "
        rf"\d{{1,3}}, the array at index \d{{1,4}} has size {N} and the array at index "
        rf"\d{{1,4}} has size {N}",
    )
    if found:
        return Hit(f"Arrays of {found[1]} and of {found[2]} are joined.", dims=(int(found[1]), int(found[2])))
    # tensorflow/python/framework/op_def_library.py
    found = find(
        text, "shorter than minimum length", rf"to '(\w{{1,80}})' Op with length {N} shorter than minimum length {N}"
    )
    if found:
        return Hit(f"{found[1]} got {found[2]} tensors, and takes {found[3]} or more.", op=found[1],
                   dims=(int(found[2]), int(found[3])))  # fmt: skip
    if "all input arrays must have the same shape" in text:
        return Hit("Arrays of different shapes are stacked; the message does not say which.")
    return None


def _joined(pair: list[Shape], op: str, numbers: tuple[int, ...] = ()) -> Hit:
    if not numbers:
        same = [s for s in pair[1:] if len(s) == len(pair[0])]
        differ = [
            (a, b) for s in same for a, b in zip(pair[0], s, strict=True) if a != b and a is not None and b is not None
        ]
        numbers = differ[0] if len(differ) == 1 else tuple(d for s in pair for d in s if d is not None)
    word = "stacked" if op == "Pack" else "joined" if op else "batched"
    shown = " and ".join(show(s) for s in pair)
    return Hit(
        f"Tensors of shapes {shown} cannot be {word}.",
        dims=numbers,
        op=op or None,
        details={"shapes": [list(s) for s in pair]},
    )
