"""Sizes that do not fit in the libraries around a training: NumPy, pandas, scikit-learn, matplotlib.

Format strings: numpy/_core/src/multiarray/{ctors,array_coercion,mapping,common,methods,item_selection,iterators}.c,
numpy/_core/src/umath, numpy/lib/_function_base_impl.py; pandas/core/{common,frame,series}.py,
pandas/core/internals/{managers,construction}.py, pandas/core/indexers/utils.py; sklearn/utils/validation.py;
matplotlib/axes/_base.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, N, by_forms

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.rules.matching import Hit

_sizes = by_forms(
    (
        Form(
            "does not match length of index",
            rf"Length of values \({N}\) does not match length of index \({N}\)",
            "A column of {0} values is put into a table of {1} rows.",
        ),
        Form(
            "Item wrong length",
            rf"Item wrong length {N} instead of {N}",
            "A table of {1} rows is indexed by {0} booleans.",
        ),
        Form(
            "indices imply",
            rf"Shape of passed values is {SHAPE}, indices imply {SHAPE}",
            "Values of shape {0} get the labels of a table of shape {1}.",
        ),
        Form(
            "new values have",
            rf"Length mismatch: Expected axis has {N} elements, new values have {N} elements",
            "An axis of {0} gets {1} labels.",
        ),
        Form(
            "Columns must be same length as key",
            r"Columns must be same length as key",
            "The columns that are given are not as many as their names; the message does not say how many.",
        ),
        Form(
            "must have same first dimension",
            rf"x and y must have same first dimension, but have shapes {SHAPE} and {SHAPE}",
            "A curve has x of shape {0} and y of shape {1}.",
        ),
        Form(
            "broadcast to indexing result",
            rf"value array of shape {SHAPE} could not be broadcast to indexing result of shape {SHAPE}",
            "An array of shape {0} is put where an index takes out shape {1}.",
        ),
        Form(
            "broadcast to a single shape",
            rf"Mismatch is between arg \d{{1,3}} with shape {SHAPE} and arg \d{{1,3}} with shape {SHAPE}",
            "Arrays of shapes {0} and {1} do not broadcast.",
        ),
        Form(
            "with remapped shapes",
            rf"with remapped shapes \[original->remapped\]: {SHAPE}->{SHAPE} {SHAPE}->{SHAPE}",
            "An operation combines shapes {0} and {2}, which do not broadcast.",
            pick=(0, 2),
        ),
        Form(
            "non-broadcastable output operand",
            rf"non-broadcastable output operand with shape {SHAPE} doesn't match the broadcast shape {SHAPE}",
            "A result of shape {1} is put into an array of shape {0}.",
        ),
        Form(
            "cannot copy sequence with size",
            rf"cannot copy sequence with size {N} to array axis with dimension {N}",
            "A sequence of {0} is put into an axis of {1}.",
        ),
        Form(
            "boolean array indexing assignment",
            rf"cannot assign {N} input values to the {N} output values where the mask is true",
            "{0} values are put where a mask takes out {1}.",
        ),
        Form(
            "are not of the same length",
            r"fp and xp are not of the same length",
            "The points of an interpolation and their values differ in number; the message does not say how many there "
            "are.",
        ),
        Form(
            "expected x and y to have same length",
            r"expected x and y to have same length",
            "x and y of a fit differ in number; the message does not say how many there are.",
        ),
    )
)


def sizes(record: ErrorRecord, text: str) -> Hit | None:
    """Two arrays of which one does not fit the other; of two shapes that differ in one axis, its sizes."""
    hit = _sizes(record, text)
    if hit is None or len(hit.dims) < 4 or len(hit.dims) % 2:
        return hit
    half = len(hit.dims) // 2
    differ = [(a, b) for a, b in zip(hit.dims[:half], hit.dims[half:], strict=True) if a != b]
    return replace(hit, dims=differ[0]) if len(differ) == 1 else hit


ranks = by_forms(
    (
        Form(
            "too many indices for array",
            rf"too many indices for array: array is {N}-dimensional, but {N} were indexed",
            "An array of rank {0} has {1} indices.",
        ),
        Form(
            "must be 1-dimensional",
            rf"Data must be 1-dimensional, got ndarray of shape {SHAPE} instead",
            "An array of shape {0} is given where one axis is wanted.",
        ),
        Form(
            "arrays must each be 1-dimensional",
            r"Per-column arrays must each be 1-dimensional",
            "A column of a table has more than one axis.",
        ),
        Form("Must pass 2-d input", rf"Must pass 2-d input\. shape={SHAPE}", "A table is made of shape {0}."),
        Form(
            "got an array of shape",
            rf"should be a 1d array, got an array of shape {SHAPE} instead",
            "An array of shape {0} is given where one axis is wanted.",
        ),
        Form(
            "array instead",
            r"Expected (\d)D array, got (\d|scalar)D? array instead",
            "Rank {0} is wanted, rank {1} was given.",
        ),
        Form(
            "Found array with dim",
            rf"Found array with dim {N}\. (.{{1,60}}?) expected <= {N}",
            "{1} takes rank {2} at most, rank {0} was given.",
            pick=(0, 2),
        ),
        Form(
            "to a Python scalar",
            r"can only convert an array of size 1 to a Python scalar",
            "An array of several elements is given where one number is wanted.",
        ),
        Form(
            "converted to Python scalars",
            r"only (?:length-1|size-1|0-dimensional) arrays can be converted to Python scalars",
            "An array is given where one number is wanted.",
        ),
        Form(
            "zero-dimensional arrays cannot",
            r"zero-dimensional arrays cannot be concatenated",
            "Single numbers are joined, which have no axis.",
        ),
        Form(
            "must have same number of dimensions",
            rf"array at index {N} has {N} dimension\(s\) and the array at index {N} has {N} dimension\(s\)",
            "Arrays of ranks {1} and {3} are joined.",
            pick=(1, 3),
        ),
        Form(
            "axes don't match array",
            r"axes don't match array",
            "A transpose names other axes than the array has.",
        ),
        Form(
            "an axis to squeeze out",
            r"cannot select an axis to squeeze out which has size not equal to one",
            "An axis is squeezed whose size is not 1.",
        ),
    )
)

uneven = by_forms(
    (
        Form(
            "inhomogeneous shape",
            rf"inhomogeneous shape after {N} dimensions?\. The detected shape was {SHAPE} ?\+ inhomogeneous part",
            "The elements of a list do not have one shape: what they have in common is {1}.",
            pick=(1,),
        ),
        Form(
            "setting an array element with a sequence",
            r"setting an array element with a sequence",
            "A sequence stands where one number belongs: an element of an array is set to it, or the elements of a "
            "list do not have one shape.",
        ),
        Form(
            "non-rectangular Python sequence",
            r"an't convert non-rectangular Python sequence to Tensor",
            "The elements of a list do not have one shape, so it cannot become a tensor.",
        ),
        Form(
            "arrays must be of the same length",
            r"All arrays must be of the same length",
            "The columns of a table differ in their number of rows.",
        ),
    )
)

inputs = by_forms(
    (
        Form(
            "inconsistent numbers of samples",
            rf"Found input variables with inconsistent numbers of samples: \[{N}, {N}",
            "Arrays that are taken row by row have {0} and {1} rows.",
            rows=True,
        ),
        Form(
            "features as input",
            rf"X has {N} features, but (?:\w{{1,60}}) is expecting {N} features as input",
            "{0} columns are given, and {1} were learnt.",
        ),
    )
)
