"""A TensorArray that is written or read outside its size, or whose elements have another shape.

Format strings: tensorflow/core/kernels/list_kernels.cc and list_kernels.h (in a traced function);
tensorflow/python/ops/tensor_array_ops.py (eagerly, and while a function is traced).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, RemedyTest
from xladoctor.rules.matching import Hit, find, make, shape

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_INDEX = (
    ("Trying to modify element", r"Trying to modify element (\d{1,9}) in a list with (\d{1,9}) elements", "written to"),
    ("Trying to access element", r"Trying to access element (\d{1,9}) in a list with (\d{1,9}) elements", "read from"),
    ("array is not resizeable", r"write to index (\d{1,9}) but array is not resizeable and size is: (\d{1,9})",
     "written to"),
    ("but array size is:", r"read from index (\d{1,9}) but array size is: (\d{1,9})", "read from"),
)  # fmt: skip
_COUNT = (
    ("of static size", r"Cannot unstack (\d{1,9}) tensors into a TensorArray of static size (\d{1,9})"),
    ("expected a list with", r"expected a list with (?P<b>\d{1,9}) elements but got a list with (?P<a>\d{1,9})"),
)
_LENGTH, _SHAPES = ("size-of-loop",), ("one-element-shape",)
_S = r"([(\[][\d, ?None]{0,100}[)\]])"
_SHAPE = (
    ("Incompatible shape for value", rf"Incompatible shape for value \({_S}\), expected \({_S}\)"),
    ("incompatible shape at a list index", rf"Item element shape: {_S} list shape: {_S}"),
    ("Inconsistent shapes: saw", rf"Inconsistent shapes: saw {_S} but expected {_S}"),
)


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """The index or the number of elements with the size of the array, or the shapes of an element and of the others."""
    for literal, source, done in _INDEX:
        found = find(text, literal, source)
        if found:
            index, size = int(found[1]), int(found[2])
            allowed = f"0 to {size - 1}" if size else "none"
            said = f"Element {index} is {done} a TensorArray of size {size} (indices {allowed})."
            return Hit(said, dims=(index, size), remedies=_LENGTH, details={"key": (index, size)})
    for literal, source in _COUNT:
        found = find(text, literal, source)
        if found:
            named = found.groupdict()
            count, size = int(named.get("a") or found[1]), int(named.get("b") or found[2])
            said = f"{count} elements are given to a TensorArray of size {size}."
            return Hit(said, dims=(count, size), remedies=_LENGTH, details={"key": (count, size)})
    for literal, source in _SHAPE:
        found = find(text, literal, source)
        if found:
            given, wanted = (shape(part) for part in found.groups())
            said = f"An element of shape {found[1]} is written to a TensorArray whose elements are {found[2]}."
            shapes = [list(given), list(wanted)]
            return Hit(said, remedies=_SHAPES, details={"key": (given, wanted), "shapes": shapes})
    return None


RULE = make(
    recognise,
    code="XD311",
    slug="tensor-array-size",
    title="A TensorArray whose size or element shape does not fit",
    level="error",
    rank=45,
    literals=(
        "modify element ", "ccess element ", "resizeable and size", "rray size is:", "nto a TensorArray of static",
        "ncompatible shape for value", "ncompatible shape at a list", "nconsistent shapes: saw",
        "xpected a list with",
    ),
    what="A loop writes more elements than the TensorArray was made for, reads an element that does not exist, or "
    "writes an element whose shape differs from the first.",
    why="`tf.TensorArray(dtype, size=N)` has room for N elements of one shape. It grows only with `dynamic_size=True`.",
    example="Trying to modify element 10 in a list with 10 elements.",
    tell_apart="An index into a tensor is `index-out-of-range` or `slice-out-of-bounds`. A TensorArray whose size XLA "
    "does not know is `tensorlist-dynamic`.",
    remedies=(
        Remedy(
            "size-of-loop",
            "Make the TensorArray as long as the loop",
            "safe",
            "Give `tf.TensorArray(dtype, size=n)` the same `n` as `tf.range(n)`; or `dynamic_size=True`, so that it "
            "grows (not under XLA).",
        ),
        Remedy(
            "one-element-shape",
            "Write elements of one shape",
            "safe",
            "`stack` needs elements of one shape, that of the first. For elements of different shapes, set "
            "`infer_shape=False` and do not call `stack`.",
        ),
    ),
    references=(
        "tensorflow/core/kernels/list_kernels.h",
        "https://www.tensorflow.org/api_docs/python/tf/TensorArray",
    ),
)  # fmt: skip
TESTS = {"size-of-loop": RemedyTest(why_not=CODE), "one-element-shape": RemedyTest(why_not=CODE)}
