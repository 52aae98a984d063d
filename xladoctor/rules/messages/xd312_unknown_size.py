"""A size that TensorFlow knows only when the program runs, used as a number while the graph is made.

Format strings: tensorflow/python/framework/tensor_util.py (values that are no tensor),
tensorflow/python/framework/tensor_conversion_registry.py and constant_tensor_conversion.py (a TensorShape).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, RemedyTest
from xladoctor.rules.matching import Hit, find, make

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_SIZES = r"([(\[][^()\[\]]{0,100}\bNone\b[^()\[\]]{0,100}[)\]])"
_WORDS = (
    ("Failed to convert elements of", rf"Failed to convert elements of {_SIZES} to Tensor"),
    ("to Tensor. Contents:", rf"to Tensor\. Contents: {_SIZES}"),
    ("partially known TensorShape", rf"partially known TensorShape {_SIZES} to a Tensor"),
)


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """The sizes, one of which is None."""
    for literal, source in _WORDS:
        found = find(text, literal, source)
        if found:
            sizes = found[1]
            axis = [part.strip() for part in sizes.strip("()[]").split(",")].index("None")
            said = f"The sizes {sizes} are used as numbers, but axis {axis} is known only when the program runs."
            return Hit(said, details={"key": (sizes,), "axis": axis})
    return None


RULE = make(
    recognise,
    code="XD312",
    slug="unknown-size",
    title="A size that is None is used as a number",
    level="error",
    rank=46,
    literals=("ailed to convert elements of", "to Tensor. Contents:", "artially known TensorShape"),
    what="`x.shape` is read while the graph is made, and one of its sizes is None: most often that of the batch. A "
    "list with this None cannot become a shape.",
    why="`Input` and `Dataset.batch` leave the number of rows open, since the last batch may be smaller. `x.shape[0]` "
    "is None then; `tf.shape(x)[0]` is a tensor that has the number in each call.",
    example="TypeError: Failed to convert elements of [None, 4, 32] to Tensor.",
    tell_apart="A size that only a mask knows, under XLA, is `dynamic-dimension-unsupported`. A shape that XLA must "
    "know when it compiles is `compile-time-constant`.",
    remedies=(
        Remedy(
            "shape-of-call",
            "Take the size from tf.shape, or let reshape work it out",
            "safe",
            "`tf.shape(x)[0]` in place of `x.shape[0]`; or `tf.reshape(x, [-1, 4, 32])`, where -1 is worked out.",
        ),
        Remedy(
            "fixed-batch",
            "Make the number of rows known",
            "changes-numerics",
            "`dataset.batch(n, drop_remainder=True)`, or `keras.Input(..., batch_size=n)`. The rows of a smaller last "
            "batch are not used then.",
        ),
    ),
    references=(
        "tensorflow/python/framework/tensor_util.py",
        "https://www.tensorflow.org/api_docs/python/tf/shape",
    ),
)  # fmt: skip
TESTS = {"shape-of-call": RemedyTest(why_not=CODE), "fixed-batch": RemedyTest(why_not=CODE)}
