"""Where an error was raised, as evidence of its own: the library's file and function, or the name of the op.

Some files of Keras and TensorFlow hold nothing but checks of shapes. Where every error of the runtime passes through
one
function (`quick_execute`, `raise_from_not_ok_status`), the op that it names is the place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xladoctor.rules.matching import op_of, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

SHAPE_CHECK: Literal["shape-check"] = "shape-check"


@dataclass(frozen=True)
class Place:
    """`kind` is `shape-check` where the function that raised only checks shapes; `slug` is the class that it checks
    for;
    `weak` says that the words of the message decide between classes first.
    """

    kind: Literal["shape-check", ""] = ""
    slug: str | None = None
    op: str | None = None
    keras: bool = False
    weak: bool = True


# (file, function, class): the function that raises checks nothing but shapes.
_CHECKS = (
    (r"keras.{0,300}[\\/]input_spec\.py$", r"", "keras-input-mismatch"),
    (
        r"keras.{0,300}[\\/]base_layer(?:_v1)?\.py$",
        r"^_?(?:assert_input_compatibility|_maybe_build)$",
        "keras-input-mismatch",
    ),
    (r"[\\/]framework[\\/]tensor_shape\.py$", r"^(?:assert_|merge_with|with_rank|concatenate|_?dims_match)", None),
    (r"[\\/]framework[\\/]common_shapes\.py$", r"", None),
    (r"keras.{0,300}[\\/]operation_utils\.py$", r"^compute_reshape", "reshape-mismatch"),
    (r"keras.{0,300}[\\/]operation_utils\.py$", r"^compute_(?:conv|matmul|pooling)", "matmul-conv-mismatch"),
    (r"keras.{0,300}[\\/]operation_utils\.py$", r"^compute_|^broadcast_shapes|^get_source", None),
    (
        r"keras.{0,300}[\\/]training_utils(?:_v1)?\.py$",
        r"^(?:standardize_input_data|check_array_lengths?\w*|check_loss_and_target_compatibility|check_array_length_consistency)$",
        "keras-input-mismatch",
    ),
    (
        r"keras.{0,300}[\\/](?:data_adapter(?:_utils)?)\.py$",
        r"^(?:check_data_cardinality|_check_data_cardinality)$",
        "keras-input-mismatch",
    ),
    (
        r"keras.{0,300}[\\/]losses?(?:_utils)?[\\/]?\w{0,20}\.py$",
        r"^(?:squeeze_|remove_squeezable|check_|assert_)",
        "keras-input-mismatch",
    ),
    (
        r"[\\/]ops[\\/]losses[\\/]",
        r"^(?:_?remove_squeezable_dimensions|compute_weighted_loss)$",
        "keras-input-mismatch",
    ),
    (
        r"keras.{0,300}[\\/]layers[\\/]merging[\\/]",
        r"^(?:build|_compute_elemwise_op_output_shape|compute_output_shape)$",
        None,
    ),
    (r"numpy[\\/].{0,300}stride_tricks", r"^_?broadcast", "broadcast-mismatch"),
)
_OPS = (
    (r"Reshape$", "reshape-mismatch"),
    (r"^(?:Concat|Pack|ParallelConcat|DynamicStitch)", "concat-pack-mismatch"),
    (r"MatMul|Solve|^Conv|Conv\dD|Einsum|^XlaDot|Dilation2D|^BiasAdd|Pool", "matmul-conv-mismatch"),
    (r"Slice|Split|^Reverse|Roll$", "slice-out-of-bounds"),
    (r"Assign|Restore", "weight-shape-mismatch"),
    (
        r"^(?:Transpose|Squeeze|ExpandDims|ArgM\w\w|Sum|Mean|Max|Min|Prod|All|Any|Cumsum|Cumprod|Diag|Matrix\w{1,40}|Cholesky)$",
        "rank-mismatch",
    ),
    (
        r"^(?:Add|AddV2|AddN|Sub|Mul|RealDiv|Div|Maximum|Minimum|Pow|SelectV?2?|BroadcastTo|BroadcastArgs|Equal|Less|Greater|"
        r"SquaredDifference|Logical\w{1,10}|SoftmaxCrossEntropyWithLogits|\w{1,40}Grad)$",
        "broadcast-mismatch",
    ),
)
_KERAS = r"[\\/](?:tf_)?keras[\\/]"


def place_of(record: ErrorRecord) -> Place:
    """What the deepest library frame, or else the op, says."""
    deepest = next((frame for frame in reversed(record.frames) if not _relays(frame.file)), None)
    keras = any(pattern(_KERAS).search(frame.file) for frame in record.frames[-4:])
    if deepest is not None and not deepest.user:
        for file, function, slug in _CHECKS:
            if pattern(file).search(deepest.file) and pattern(function).search(deepest.function or ""):
                return Place(SHAPE_CHECK, slug, None, keras)
    op = op_of(record)
    slug = next((slug for source, slug in _OPS if pattern(source).search(op)), None) if op else None
    return Place("", slug, op, keras)


def _relays(file: str) -> bool:
    """Frames through which every error passes."""
    return (
        pattern(r"traceback_utils\.py$|[\\/]eager[\\/](?:execute|context)\.py$|[\\/]framework[\\/]ops\.py$").search(
            file
        )
        is not None
    )
