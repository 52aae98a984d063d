"""A tensor of another rank than the op takes, and an index outside of an axis.

Format strings: tensorflow/core/framework/{common_shape_fns,shape_inference}.cc, core/kernels/{transpose_op,
reduction_ops_common,gather_op,slice_op,split_op,sparse_xent_op}, core/util/strided_slice_op.cc.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, N, by_forms

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.rules.matching import Hit

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
        Form("contains duplicate dim", rf"contains duplicate dimension: {N}", "A reduction names axis {0} twice."),
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
            "must have rank",  # tensorflow/python/framework/tensor_shape.py
            rf"Shape (\([^()]{{0,120}}\)|\[[^\[\]]{{0,120}}\]) must have rank (?:at (?:least|most) )?{N}\b",
            "Rank {1} is wanted, shape {0} was given.",
            pick=(1,),
        ),
        Form(
            "not in the interval [",
            rf"\bdim {N} not in the interval \[-?\d{{1,3}}, {N}\]",
            "Axis {0} where axes up to {1} can be named.",
        ),
        Form(
            "but has rank", rf"must be (?:of )?rank {N},? but has rank {N}", "Rank {0} is wanted, rank {1} was given."
        ),
        Form(
            "nknown TensorShape",  # tensorflow/python/framework/tensor_shape.py
            r"as_list\(\) is not defined on an unknown TensorShape",
            "The number of axes is asked for, and is not known.",
            pick=(),
        ),
        Form(
            "shape with unknown rank",
            r"annot take the length of shape with unknown rank",
            "The number of axes is asked for, and is not known.",
            pick=(),
        ),
        Form("have unequal rank", rf"have unequal ranks? {N} and {N}", "Ranks {0} and {1} meet."),
        Form(
            "Shapes must be equal rank", rf"Shapes must be equal rank, but are {N} and {N}", "Ranks {0} and {1} meet."
        ),
    )
)


out_of_bounds = by_forms(
    (
        Form(
            "out of bounds",
            rf"slice index {N} of dimension {N} out of bounds",
            "Index {0} on axis {1} is outside the tensor.",
            pick=(0,),
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
    )
)


_indices = by_forms(
    (
        Form(
            "is not in [",
            rf"indices(?:\[[\d,]{{0,99}}\])? = {N} is not in \[-?\d{{1,18}}, ?{N}\)",
            "Index {0} into an axis of {1}.",
        ),
        Form(
            "does not index into",
            r"indices\[[\d,]{0,99}\] = \[(.{0,99}?)\] does not index into (?:param )?shape \[(.{0,99}?)\]",
            "Index [{0}] into shape [{1}].",
        ),
        Form(
            "outside the valid range",
            rf"label value of {N} which is outside the valid range of \[\d{{1,18}}, ?{N}\)",
            "Label {0} with {1} classes.",
        ),
        Form(
            "out of range [",
            rf"\w{{1,30}}\[[\d,]{{1,60}}\] ==? {N} (?:is )?out of range \[\d{{1,18}}, ?{N}\)",
            "Index {0} into an axis of {1}.",
        ),
        Form(
            "out of bound",  # tf.math.confusion_matrix
            rf"out of bound Condition x <=? y did not hold\. First \d+ elements of x: \[{N}[^\]]{{0,80}}\] "
            rf"First \d+ elements of y: \[{N}\]",
            "Labels that begin with {0} do not all fit {1} classes.",
        ),
        Form(
            "is invalid: ",  # tensorflow/core/kernels/sparse_fill_empty_rows_op.cc and others
            rf"\bindices(?:\[[\d, ]{{0,99}}\])? is invalid: {N} >= {N}",
            "Index {0} into an axis of {1}.",
        ),
        Form("segment ids", rf"segment ids? .{{0,60}}?{N}.{{1,40}}?out of range \[0, ?{N}\)", "Segment {0} of {1}."),
    )
)


def out_of_range(record: ErrorRecord, text: str) -> Hit | None:
    """An index or a label among the data. These were `slice-out-of-bounds` once: `kind_of` says so."""
    hit = _indices(record, text)
    return replace(hit, details={**hit.details, "kind_of": "slice-out-of-bounds"}) if hit else None
