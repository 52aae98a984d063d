"""Operands of matrix products, einsum and convolutions that do not fit.

Format strings: tensorflow/core/kernels/{matmul_op_impl,conv_ops}, core/framework/common_shape_fns.cc,
compiler/tf2xla/kernels, xla/service/shape_inference.cc; keras/src/ops/operation_utils.py,
keras/src/layers/merging/dot.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, N, first_form, static_shapes
from xladoctor.rules.matching import Hit, find, shape
from xladoctor.rules.recognise.operands import EQUAL, PRODUCTS, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xladoctor.model.evidence import ErrorRecord


_CHANNELS = "The input has {0} channels, the kernel takes {1}."
_PRODUCT_FORMS = (
    Form(
        "due to downsampling in",
        rf"One of the dimensions in the output is <= 0 due to downsampling in ([\w./-]{{1,200}})\. .{{0,80}}?"
        rf"Received input shape {SHAPE}",
        "The input {1} is too small for layer `{0}`: no output is left.",
        pick=(1,),
        layer=0,
    ),
    Form(
        "is not a multiple of input depth",
        rf"Depth of input \({N}\) is not a multiple of input depth of filter \({N}\)",
        _CHANNELS,
    ),
    Form(
        "evenly divisible by filter depth",
        rf"input depth must be evenly divisible by filter depth: {N} vs\.? {N}",
        _CHANNELS,
    ),
    Form("same depth", rf"input and filter must have the same depth: {N} vs\.? {N}", _CHANNELS),
    Form(
        "evenly divisible by the number of groups",
        rf"filters is (?:not|must be) .{{0,80}}?number of groups.{{0,40}}?{N}.{{1,40}}?{N}",
        "{0} filters in {1} groups.",
    ),
    Form(
        "Expected dimension",
        rf"Expected dimension {N} at axis \d{{1,3}} of the input shaped \[.{{0,99}}?\] but got dimension {N}",
        "einsum: one label stands for {0} and for {1}.",
        op="Einsum",
    ),
    Form(
        "arguments for equation",
        rf"Got {N} arguments for equation \"([^\"]{{1,200}})\", expecting {N}",
        "einsum: {0} tensors for `{1}`, which takes {2}.",
        op="Einsum",
        pick=(0, 2),
    ),
    Form(
        "Cannot infer shape for dot",
        rf"Cannot infer shape for dot operation: {SHAPE} <dot> {SHAPE}",
        "A product of {0} and {1} is not possible.",
    ),
    Form(
        "contracting dimension sizes",
        rf"contracting dimension sizes.{{0,80}}?{N}.{{1,40}}?{N}",
        "{0} against {1} on the contracted axis.",
    ),
    Form("feature dimension", rf"feature dimension.{{0,120}}?\(?value {N}.{{1,160}}?value {N}", _CHANNELS),
    Form(
        "compatible batch dimensions",
        rf"must have compatible batch dimensions: {SHAPE} vs\. {SHAPE}",
        "A batched product of {0} and {1}.",
    ),
    Form(
        "mismatch in its core dimension",
        rf"mismatch in its core dimension.{{1,160}}?\(size {N} is different from {N}\)",
        "{0} against {1} on the contracted axis.",
    ),
    Form(
        "size would be",
        r"Computed output size would be (?:zero or )?negative\. Received:? `?inputs "
        r"shape=(\(.{1,99}?\))`?,? `?kernel shape=(\(.{1,99}?\))`?",
        "The input {0} is smaller than the kernel {1}: no output is left.",
    ),
    Form(
        "egative dimension size",
        rf"Negative dimension size caused by subtracting {N} from {N}",
        "A window of {0} on an axis of {1}: no output is left.",
    ),
    Form(
        "must be equal to the first dimension",
        rf"inner dimension.{{0,99}}?{N}.{{1,60}}?{N}",
        "{0} against {1} on the contracted axis.",
    ),
)


def product(record: ErrorRecord, text: str) -> Hit | None:
    """Operands of matrix products, einsum and convolutions."""
    found = find(text, "Matrix size-incompatible", rf"Matrix size-incompatible: In\[0\]: {SHAPE}, In\[1\]: {SHAPE}")
    if found:
        left, right = shape(found[1]), shape(found[2])
        inner = tuple(d for d in (left[-1:] + right[-2:-1]) if d is not None)
        dims = inner if len(inner) == 2 and inner[0] != inner[1] else tuple(d for d in left + right if d is not None)
        says = f"A matrix product of {show(left)} and {show(right)}"
        says += f": {inner[0]} against {inner[1]} on the contracted axis." if dims == inner else " is not possible."
        return Hit(says, dims=dims, details={"shapes": [list(left), list(right)]})
    # tensorflow/core/kernels/matmul_op_impl.h
    found = find(text, "In[0] mismatch In[1] shape", rf"In\[0\] mismatch In\[1\] shape: {N} vs\. {N}: {SHAPE} {SHAPE}")
    if found:
        return Hit(
            f"A matrix product of {found[3]} and {found[4]}: {found[1]} against {found[2]} on the contracted axis.",
            dims=(int(found[1]), int(found[2])),
            details={"shapes": [list(shape(found[3])), list(shape(found[4]))]},
        )
    found = find(text, "Dimensions must be equal", EQUAL)
    if found and found[3] in PRODUCTS:
        shapes = static_shapes(text)
        details = {"shapes": [list(s) for s in shapes]}
        batched = found[3].startswith("BatchMatMul") and _in_batches(shapes, int(found[1]), int(found[2]))
        axis = "batch" if batched else "contracted"
        says = f"{found[3]}: {found[1]} against {found[2]} on the {axis} axis."
        return Hit(says, dims=(int(found[1]), int(found[2])), op=found[3], details=details)
    return _window(text) or _dot(text) or first_form(_PRODUCT_FORMS, text)


def _in_batches(shapes: Sequence[Sequence[int | None]], one: int, other: int) -> bool:
    """Whether two sizes stand before the last two axes: of how many products there are, and not in one of them."""
    pairs = list(zip(*(tuple(s)[-3::-1] for s in shapes), strict=False)) if len(shapes) == 2 else []
    return (one, other) in pairs


def _window(text: str) -> Hit | None:
    """A pooling window that is larger than what the layers before it left (keras: compute_pooling_output_shape)."""
    found = find(
        text,
        "size would be",
        r"Computed output size would be zero or negative\. Received: `inputs\.[shape ]{5,7}=\[([^\[\]]{1,99})\]`, "
        r"`pool_size=\[([\d ]{1,60})\]`",
    )
    if not found:
        return None
    given, window = found[1].split(), found[2].split()
    sizes = tuple(int(size) if size.isdigit() else None for size in given)
    shown = f"({', '.join(given)})"
    return Hit(
        f"The input {shown} is smaller than the pooling window ({', '.join(window)}): no output is left.",
        dims=tuple(size for size in (*sizes, *map(int, window)) if size is not None),
        details={"shapes": [list(sizes)], "window": [int(size) for size in window]},
    )


def _dot(text: str) -> Hit | None:
    """The Keras layer Dot."""
    found = find(
        text,
        "Incompatible input shapes: axis values",
        rf"axis values {N} \(at axis -?\d{{1,2}}\) != {N} \(at axis -?\d{{1,2}}\)\. "
        rf"Full input shapes: {SHAPE}, {SHAPE}",
    )
    if not found:
        return None
    return Hit(
        f"Dot cannot multiply {found[3]} and {found[4]}: the axes that it sums over have {found[1]} and {found[2]}.",
        op="Dot",
        dims=(int(found[1]), int(found[2])),
        details={"shapes": [list(shape(found[3])), list(shape(found[4]))]},
    )
