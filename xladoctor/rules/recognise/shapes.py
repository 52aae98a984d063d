"""Operands that do not fit each other: element-wise, joined, multiplied, of the wrong rank, out of bounds.

Format strings: tensorflow/core/util/bcast.h and its users,
core/framework/{common_shape_fns,shape_inference}.cc, core/kernels/
{cwise_ops_common,concat_op,pack_op,aggregate_ops,matmul_op_impl,conv_ops,transpose_op,reduction_ops_common,gather_op,
slice_op,split_op,sparse_xent_op}, core/util/strided_slice_op.cc, compiler/tf2xla/kernels,
xla/service/shape_inference.cc.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from xladoctor.rules.forms import SHAPE, Form, N, by_forms, first_form, static_shapes
from xladoctor.rules.matching import Hit, find, shape, shapes

if TYPE_CHECKING:
    from xladoctor.evidence.model import ErrorRecord

Shape = tuple[int | None, ...]

PRODUCTS = frozenset(
    {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", "XlaEinsum", "Conv1D", "Conv2D", "Conv3D"}
    | {"DepthwiseConv2dNative", "XlaDot", "XlaDotV2", "Conv2DBackpropInput", "Conv2DBackpropFilter"}
    | {"SparseTensorDenseMatMul", "SparseMatMul", "BiasAdd"}
)
JOINS = frozenset({"Concat", "ConcatV2", "Pack", "ParallelConcat"})
_EQUAL = (
    rf"Dimensions must be equal, but are {N} and {N} for '?(?:\{{\{{node "
    rf")?[^\s'{{}}]{{1,400}}(?:\}}\}} = |' \(op: ')(\w{{1,80}})"
)


# --- element-wise -----------------------------------------------------------------------------------------------------
_PAIRS = (
    (
        "ncompatible shapes",
        rf"[Ii]ncompatible shapes(?: for broadcasting)?:? {SHAPE}(?:,? (?:vs\.?|and|<|&) | , "
        rf")(?:\w+ )?{SHAPE}",
    ),
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
    ("incompatible shapes for broadcasting", rf"incompatible shapes for broadcasting {SHAPE} and {SHAPE}"),
    ("broadcast a tensor of shape", rf"broadcast a tensor of shape {SHAPE} to (?:shape )?{SHAPE}"),
)


def broadcast(record: ErrorRecord, text: str) -> Hit | None:
    """Operands of an element-wise op, of `where`, `add_n` or `broadcast_to`."""
    if "is not compatible with" in text and "layer" in text:
        return None
    for literal, source in _PAIRS:
        found = find(text, literal, source)
        if found:
            return _pair([shape(_dims(g)) for g in found.groups()])
    found = find(text, "Dimensions must be equal", _EQUAL)
    if found and found[3] not in PRODUCTS and found[3] not in JOINS:
        return _pair(static_shapes(text), numbers=(int(found[1]), int(found[2])), op=found[3])
    if "required broadcastable shapes" in text:
        return _pair([])
    return None


def _dims(group: str) -> str:
    at = group.find("[")
    return group[at:] if at > 0 else group


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
        message = f"An element-wise operation meets shapes {' and '.join(_show(s) for s in pair)}"
        message += (
            f": {numbers[0]} against {numbers[1]}, and neither is 1."
            if len(numbers) == 2
            else ", which do not broadcast."
        )
    return Hit(message, dims=numbers, op=op, details=details)


def _show(dims: Shape) -> str:
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


# --- joining ----------------------------------------------------------------------------------------------------------
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
            return _joined([shape(_dims(found[1])), shape(_dims(found[2]))], op)
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
        "must match exactly",
        rf"input array dimensions .{{0,80}}? must match exactly, but along dimension "
        rf"\d{{1,3}}, the array at index \d{{1,4}} has size {N} and the array at index "
        rf"\d{{1,4}} has size {N}",
    )
    if found:
        return Hit(f"Arrays of {found[1]} and of {found[2]} are joined.", dims=(int(found[1]), int(found[2])))
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
    shown = " and ".join(_show(s) for s in pair)
    return Hit(
        f"Tensors of shapes {shown} cannot be {word}.",
        dims=numbers,
        op=op or None,
        details={"shapes": [list(s) for s in pair]},
    )


# --- products ---------------------------------------------------------------------------------------------------------
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
        says = f"A matrix product of {_show(left)} and {_show(right)}"
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
    found = find(text, "Dimensions must be equal", _EQUAL)
    if found and found[3] in PRODUCTS:
        details = {"shapes": [list(s) for s in static_shapes(text)]}
        says = f"{found[3]}: {found[1]} against {found[2]} on the contracted axis."
        return Hit(says, dims=(int(found[1]), int(found[2])), op=found[3], details=details)
    return first_form(_PRODUCT_FORMS, text)


# --- rank -------------------------------------------------------------------------------------------------------------
rank = by_forms(
    (
        Form(
            "Shape must be",
            rf"Shape must be (?:at (?:least|most) )?rank {N} but is rank {N}",
            "Rank {0} is wanted, rank {1} was given.",
        ),
        Form(
            "ndims must be",
            rf"In\[[01]\] ndims must be (?:>=|==) {N}(?:: {N})?",
            "Each operand of the product must have {0} axes.",
        ),
        Form(
            "has different ndims",
            rf"In\[0\] and In\[1\] has different ndims: {SHAPE} vs\. {SHAPE}",
            "Operands of different rank: {0} and {1}.",
        ),
        Form(
            "-dimensional",
            rf"(?:input|inputs|filter|tensor_in|In\[\d\]|value|images?) must be "
            rf"{N}-dimensional(?:[: ,a-z]{{0,20}}{SHAPE})?",
            "Rank {0} is wanted, {1} was given.",
        ),
        Form(
            "transpose expects",
            rf"transpose expects a vector of size {N}\. But input\(1\) is a vector of size {N}",
            "A tensor of rank {0} is transposed by a permutation of {1} axes.",
        ),
        Form(
            "not squeeze dim",
            rf"not squeeze dim\[{N}\], expected a dimension of 1, got {N}",
            "Axis {0} cannot be squeezed: its size is {1}, not 1.",
        ),
        Form(
            "nvalid reduction dimension",
            rf"nvalid reduction dimension \(?{N} for input with {N} dimension",
            "A reduction over axis {0} of a tensor with {1} axes.",
        ),
        Form(
            "to expand dim index",
            rf"to expand dim index {N} for tensor with {N} dimensions",
            "expand_dims at axis {0} of a tensor with {1} axes.",
        ),
        Form(
            "is out of bounds for array of dim",
            rf"axis {N} is out of bounds for array of dimension {N}",
            "Axis {0} of an array with {1} axes.",
        ),
        Form(
            "in the range [",
            rf"xpected (?:\w{{1,20}} )?(?:dimension|axis)? ?in the range \[-?\d{{1,3}}, {N}\),? but got {N}",
            "Axis {1} of a tensor with {0} axes.",
        ),
        Form(
            "Index out of range using input dim",
            rf"Index out of range using input dim {N}; input has only {N} dims",
            "Index {0} of a tensor with {1} axes.",
        ),
        Form(
            "Invalid index from the dimension",
            rf"Check failed: .{{0,80}}?Invalid index from the dimension: {N}, {N}, (?:\w)",
            "A convolution or pooling got a tensor of too low a rank ({0} axes); TensorFlow "
            "aborts the process instead of saying so.",
            pick=(0,),
        ),
        Form(
            "must have rank",
            rf"must have rank (?:at least |equal to )?{N}.{{0,40}}?(?:got|but is|received|has)(?: rank)? {N}",
            "Rank {0} is wanted, rank {1} was given.",
        ),
        Form(
            "but has rank", rf"must be (?:of )?rank {N},? but has rank {N}", "Rank {0} is wanted, rank {1} was given."
        ),
        Form("have unequal rank", rf"have unequal ranks? {N} and {N}", "Ranks {0} and {1} meet."),
        Form(
            "Shapes must be equal rank", rf"Shapes must be equal rank, but are {N} and {N}", "Ranks {0} and {1} meet."
        ),
    )
)


# --- bounds -----------------------------------------------------------------------------------------------------------
out_of_bounds = by_forms(
    (
        Form(
            "out of bounds",
            rf"slice index {N} of dimension {N} out of bounds",
            "Index {0} on axis {1} lies outside of the tensor.",
            pick=(0,),
        ),
        Form(
            "is not in [",
            rf"indices\[[\d,]{{0,99}}\] = {N} is not in \[-?\d{{1,18}}, ?{N}\)",
            "Index {0} into an axis of {1}.",
        ),
        Form(
            "does not index into",
            r"indices\[[\d,]{0,99}\] = \[(.{0,99}?)\] does not index into (?:param )?shape \[(.{0,99}?)\]",
            "Index [{0}] into shape [{1}].",
        ),
        Form(
            "Expected size[",
            rf"Expected size\[\d{{1,3}}\] in \[-?\d{{1,18}}, ?{N}\],? but got {N}",
            "A slice of {1} where {0} are left.",
        ),
        Form(
            "Expected begin[",
            rf"Expected begin\[\d{{1,3}}\] in \[\d{{1,18}}, ?{N}\],? but got {N}",
            "A slice that starts at {1} on an axis of {0}.",
        ),
        Form(
            "outside the valid range",
            rf"label value of {N} which is outside the valid range of \[\d{{1,18}}, ?{N}\)",
            "Label {0} with {1} classes.",
        ),
        Form(
            "should evenly divide",
            rf"should evenly divide the split dimension,? but got split_dim \d{{1,3}} \(size = "
            rf"{N}\) and num_split {N}",
            "An axis of {0} is split into {1} equal parts.",
        ),
        Form(
            "evenly divisible by",
            rf"Dimension size must be evenly divisible by {N} but is {N}.{{0,80}}? for .{{1,400}}?= Split\[",
            "An axis of {1} is split into {0} equal parts.",
        ),
        Form(
            "Determined shape must either match",
            rf"Determined shape must either match input shape along split_dim.{{0,160}}?Got: {N}",
            "The sizes of a split add up to {0}, which is not the size of the axis.",
        ),
        Form(
            "is out of bounds for axis",
            rf"index {N} is out of bounds for axis \d{{1,3}} with size {N}",
            "Index {0} into an axis of {1}.",
        ),
        Form(
            "limit index",
            rf"limit index \({N}\) must be less than or equal to dimension size \({N}\)",
            "A slice that ends at {0} on an axis of {1}.",
        ),
        Form(
            "lice size at index",
            rf"lice size at index \d{{1,3}} in gather op is out of range, must be within \[0, "
            rf"?{N}\), got {N}",
            "A gather of slices of {1} from an axis of {0}.",
        ),
        Form("segment ids", rf"segment ids? .{{0,60}}?{N}.{{1,40}}?out of range \[0, ?{N}\)", "Segment {0} of {1}."),
    )
)
