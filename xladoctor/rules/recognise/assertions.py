"""Assertions about sizes: `tf.debugging.assert_equal` and similar functions on results of `tf.shape` and the like.

Inside a function the message names the two tensors by their ops, and `tf.shape`, `tf.rank` and `tf.size` make ops
called `Shape`, `Rank` and `Size`. A part of a shape is a `strided_slice`, as is a part of anything else. Raised
eagerly, the message has no names: then the program's line says what it compares. Assertions about values are not
recognised.

Format strings: tensorflow/python/ops/check_ops.py (`_binary_assert`, `_assert_static`, `assert_shapes`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, Recogniser, find, ints, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord, Frame

_NAMED = (
    r"\[?Condition x (\S{1,2}) y did not hold(?: element-wise)?:?\] \[x \(([^()\s]{1,400}?)(?::\d{1,3})?\) = ?\] "
    r"\[([^\[\]]{0,200})\] \[y \(([^()\s]{1,400}?)(?::\d{1,3})?\) = ?\] \[([^\[\]]{0,200})\]"
)
_UNNAMED = (
    r"Condition x (\S{1,2}) y did not hold\..{0,2000}?First \d{1,3} elements of x: \[([^\[\]]{0,200})\] "
    r"First \d{1,3} elements of y: \[([^\[\]]{0,200})\]"
)
_OF_SHAPES = (
    r"\[Specified by tensor ([^\[\]]{1,200}?) dimension \d{1,3}\] \[Tensor ([^\[\]]{1,200}?) dimension\] "
    r"\[(\d{1,3})\] \[must have size\] \[(\d{1,18})\] \[Received shape: ?\] \[([^\[\]]{0,200})\]"
)
_OF_RANK = r"must have rank\] \[(\d{1,3})\] \[Received shape: ?\] \[([^\[\]]{0,200})\]"
_ROWS = r"RowPartition|Ragged|row_splits|RowSplits"
_SIZES = r"(?:^|/)(?:Shape|Rank|Size)(?:_\d{1,6})?$"
_PART = r"(?:^|/)(?:strided_slice|GatherV2|Prod)(?:_\d{1,6})?$"
_GIVEN = r"(?:^|/)(?:Const|x|y)(?:_\d{1,6})?$"
_RANKS = r"(?:^|/)Rank(?:_\d{1,6})?$"
_ASKED = r"\.shape\b|\bshape\(|\brank\(|\bsize\(|\.ndim\b"
_PASSING = (
    r"[\\/](?:check_ops|traceback_utils|dispatch|execute|control_flow_assert|deprecation|polymorphic_function)\.py$"
)
_LOSS = r"(?:^|/)(?:compile_loss|compile_metrics|compute_loss)/"


def sizes(slug: str) -> Recogniser:
    """The recogniser for assertions about sizes of one class."""

    def recognise(record: ErrorRecord, text: str) -> Hit | None:
        found = _compared(record, text)
        return found[1] if found is not None and found[0] == slug else None

    return recognise


def either(*recognisers: Recogniser) -> Recogniser:
    """The hit of the first that recognises a message."""

    def recognise(record: ErrorRecord, text: str) -> Hit | None:
        return next((hit for one in recognisers if (hit := one(record, text)) is not None), None)

    return recognise


def _compared(record: ErrorRecord, text: str) -> tuple[str, Hit] | None:
    shapes = find(text, "[must have size]", _OF_SHAPES)
    if shapes:
        name, axis, size, whole = shapes[2].removesuffix(":0"), int(shapes[3]), int(shapes[4]), ints(shapes[5])
        says = f"`tf.debugging.assert_shapes`: {size} expected on axis {axis} of {name}, which is [{shapes[5]}]."
        return "contract-violation", Hit(says, dims=(size, *whole[axis : axis + 1]))
    rank = find(text, "must have rank] [", _OF_RANK)
    if rank:
        says = f"Rank {rank[1]} is expected, but the shape is [{rank[2]}]."
        return "rank-mismatch", Hit(says, dims=(int(rank[1]), len(ints(rank[2]))))
    if "y did not hold" not in text:
        return None
    named = find(text, "y did not hold", _NAMED)
    if named:
        sign, x, left, y, right = named.groups()
        ragged = _rows(sign, left, right) if all(pattern(_ROWS).search(name) for name in (x, y)) else None
        if ragged is not None:
            return "broadcast-mismatch", ragged
        if not _is_of_sizes(x, y, record):
            return None
    else:
        unnamed = find(text, "y did not hold", _UNNAMED)
        frame = _asserting(record)
        if unnamed and frame is not None and frame.user and frame.code and "assert" not in frame.code:
            # The program asserts nothing there: TensorFlow compares the rows of what the line computes with.
            ragged = _rows(*unnamed.groups())
            return ("broadcast-mismatch", ragged) if ragged is not None else None
        if not unnamed or frame is None or not pattern(_ASKED).search(frame.code or ""):
            return None
        sign, left, right = unnamed.groups()
        x = y = ""
    pair = [tuple(ints(left)), tuple(ints(right))]
    if not all(pair):
        return None
    # An element of `Size` or of a sliced shape is one size; a whole `Shape` is a list of them.
    one, other = (_shown(p) for p in pair)
    if pattern(_RANKS).search(x) or pattern(_RANKS).search(y):
        return "rank-mismatch", Hit(
            f"Ranks {one} and {other} are compared ({sign}) and do not match.", dims=_both(pair)
        )
    says = f"Sizes {one} and {other} are compared ({sign}) and do not match."
    if pattern(_LOSS).search(x) or pattern(_LOSS).search(y):
        scope = x.split("/")[1] if x.count("/") > 1 else "the loss"
        return "keras-input-mismatch", Hit(f"The targets do not fit the output: {scope} compares {one} and {other}.",
                                           dims=_both(pair), details={"shapes": [list(p) for p in pair]})  # fmt: skip
    if _in_library(record):
        return "broadcast-mismatch", Hit(says, dims=_both(pair), details={"shapes": [list(p) for p in pair]})
    return "contract-violation", Hit(f"An assertion of the program about sizes does not hold: {says}", dims=_both(pair))


def _rows(sign: str, left: str, right: str) -> Hit | None:
    """What two lists of row splits say: where each row of a ragged tensor begins, from 0 on
    (tensorflow/python/ops/ragged/row_partition.py).
    """
    splits = [tuple(ints(text)) for text in (left, right)]
    if sign != "==" or any(len(s) < 2 or s[0] != 0 or any(a > b for a, b in pairwise(s)) for s in splits):
        return None
    lengths = [[b - a for a, b in pairwise(s)] for s in splits]
    row = next((i for i, (a, b) in enumerate(zip(*lengths, strict=False)) if a != b), None)
    if row is None:
        return None
    one, other = lengths[0][row], lengths[1][row]
    says = f"Two ragged tensors do not match: row {row} has {one} values in one and {other} in the other."
    return Hit(says, dims=(one, other), details={"row": row})


def _is_of_sizes(x: str, y: str, record: ErrorRecord) -> bool:
    """Whether two tensors that are compared are sizes, by the names of the ops that made them."""
    sized = [pattern(_SIZES).search(name) is not None for name in (x, y)]
    parts = [pattern(_PART).search(name) is not None for name in (x, y)]
    given = [pattern(_GIVEN).search(name) is not None for name in (x, y)]
    if any(sized):
        return all(any(one) for one in zip(sized, parts, given, strict=True))
    return all(parts) and _in_library(record)


def _asserting(record: ErrorRecord) -> Frame | None:
    """The function that asserts, where the log shows it."""
    for frames in (record.op_frames, record.frames):
        own = [frame for frame in frames if not pattern(_PASSING).search(frame.file)]
        if own:
            return own[-1]
    return None


def _in_library(record: ErrorRecord) -> bool:
    """Whether the assertion stands in a function of TensorFlow or Keras, and not in the program's own."""
    frame = _asserting(record)
    return frame is not None and not frame.user


def _shown(sizes_: tuple[int, ...]) -> str:
    return f"({' '.join(map(str, sizes_))})" if len(sizes_) > 1 else str(sizes_[0])


def _both(pair: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The sizes that differ, else all."""
    left, right = pair
    if len(left) == len(right):
        apart = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        if len(apart) == 1:
            return apart[0]
    return (*left, *right)
