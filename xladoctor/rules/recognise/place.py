"""Where an error was raised, as separate evidence: the library's file and function, or the name of the op.

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
    `weak` says that the words of the message decide between classes first; `near` that the function is one of those
    that hand shapes to what raised: two shapes in the sentence are enough.
    """

    kind: Literal["shape-check", ""] = ""
    slug: str | None = None
    op: str | None = None
    keras: bool = False
    weak: bool = True
    near: bool = False


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
    # Keras 1 to 2.3, and the layers and losses of TensorFlow 1.
    (
        r"keras[\\/]engine[\\/](?:training|topology|network|container)\.py$",
        r"^_?(?:standardize_input_data|check_array_lengths?|check_loss_and_target_compatibility|"
        r"check_num_samples|assert_input_compatibility)$",
        "keras-input-mismatch",
    ),
    (r"keras[\\/].{0,300}functional\.py$", r"^_?(?:standardize_inputs|adjust_input_rank)$", "keras-input-mismatch"),
    (r"keras[\\/].{0,300}(?:core|reshaping[\\/]reshape)\.py$", r"^_?fix_unknown_dimension$", "reshape-mismatch"),
    (
        r"keras[\\/](?:layers[\\/]merge|legacy[\\/]layers)\.py$",
        r"^(?:build|_?compute_elemwise_op_output_shape|"
        r"_arguments_validation)$",
        None,
    ),
    (
        r"[\\/]ops[\\/](?:weights_broadcast_ops|metrics_impl|confusion_matrix)\.py$",
        r"^_?(?:assert_broadcastable|"
        r"remove_squeezable_dimensions)$",
        "keras-input-mismatch",
    ),
    (
        r"[\\/]utils[\\/](?:losses_utils|metrics_utils)\.py$",
        r"^(?:squeeze_or_expand_dimensions|"
        r"remove_squeezable_dimensions|ragged_assert_compatible_and_get_flat_values)$",
        "keras-input-mismatch",
    ),
    (r"numpy[\\/].{0,300}stride_tricks", r"^_?broadcast", "broadcast-mismatch"),
    (r"numpy[\\/].{0,300}shape_base\.py$", r"^(?:[vhd]?stack|concatenate|column_stack|block)$", "concat-pack-mismatch"),
)
# A function of a library whose name says that it checks shapes.
_CHECKING = (
    r"^_*(?:check|verify|assert|validate|ensure)_?\w{0,60}(?:shape|rank|ndims?|dimension|cardinalit|num_samples|lengths?)"
    r"|^_*(?:Check|Verify|Assert)\w{0,40}(?:Shape|Rank|Dim|\dD)"
)
_LIBRARY = r"[\\/](?:tensorflow\w{0,20}|keras|tf_keras|numpy)[\\/]"
# (file, function, class): what such a function does decides the class of a sentence about shapes; the one that raised
# may stand a few frames below it.
_NEAR = (
    (
        r"keras.{0,300}[\\/](?:saving|engine|models?|layers|legacy|backend|utils)|[\\/]checkpoint[\\/]|[\\/]training[\\/]s",
        r"^_?(?:set_weights|load_weights\w*|load_own_variables|batch_set_value|preprocess_weights_for_loading|load_state"
        r"|load_optimizer_weights_from_hdf5_group|assign_value_to_variable|restore\w*|set_value)$",
        "weight-shape-mismatch",
    ),
    (
        r"[\\/](?:polymorphic_function|function_type|function_spec|function|def_function|type_dispatch\w{0,20})[\w\\/]{0,60}\.py$",
        r"^(?:canonicalize_\w{1,60}|convert_inputs_to_signature|_?convert_inputs\w{0,40}|bind_function_inputs)$",
        "contract-violation",
    ),
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
        r"SquaredDifference|Logical\w{1,10}|\w{0,20}Scatter\w{0,20}|SoftmaxCrossEntropyWithLogits|\w{1,40}Grad)$",
        "broadcast-mismatch",
    ),
)
NEAR = 6
"""How many of the library's innermost frames are searched for such a function."""
# Its layers, models and losses; not its ops, which know of no input.
_KERAS = r"[\\/](?:tf_)?keras[\\/](?!(?:src[\\/])?(?:ops|backend|utils)[\\/])"


def place_of(record: ErrorRecord) -> Place:
    """The place of the deepest library frame, or otherwise of the op."""
    deepest = next((frame for frame in reversed(record.frames) if not _relays(frame.file)), None)
    keras = any(pattern(_KERAS).search(frame.file) for frame in record.frames[-4:])
    if deepest is not None and not deepest.user:
        for file, function, slug in _CHECKS:
            if pattern(file).search(deepest.file) and pattern(function).search(deepest.function or ""):
                return Place(SHAPE_CHECK, slug, None, keras)
        if pattern(_CHECKING).search(deepest.function or "") and pattern(_LIBRARY).search(deepest.file):
            return Place(SHAPE_CHECK, None, None, keras)
    for frame in [frame for frame in reversed(record.frames) if not frame.user][:NEAR]:
        for file, function, slug in _NEAR:
            if pattern(function).search(frame.function or "") and pattern(file).search(frame.file):
                return Place("", slug, op_of(record), keras, weak=False, near=True)
    near = deepest is not None and not deepest.user and _computes_shapes(deepest.file, deepest.function or "")
    op = op_of(record)
    slug = next((slug for source, slug in _OPS if pattern(source).search(op)), None) if op else None
    return Place("", slug, op, keras, near=near)


def _computes_shapes(file: str, function: str) -> bool:
    """Whether a function of a library gets arrays, or their shapes, and nothing else."""
    if pattern(r"^compute_output_(?:spec|shape)$").match(function):
        return pattern(_LIBRARY).search(file) is not None
    return pattern(r"[\\/]numpy[\\/](?:_?core|lib|linalg|ma|fft|polynomial)[\\/]").search(file) is not None


def indexes_a_shape(record: ErrorRecord) -> bool:
    """Whether a list or a tuple that was too short is a shape: `TensorShape` says so by its place, and code of the
    library that computes with tensors indexes hardly anything else by numbers.
    """
    deepest = next((frame for frame in reversed(record.frames) if not _relays(frame.file)), None)
    if deepest is None or deepest.user:
        return False
    if pattern(r"[\\/]framework[\\/]tensor_shape\.py$").search(deepest.file):
        return True
    room = pattern(r"[\\/](?:tensorflow[\\/]python|keras[\\/]src)[\\/](?:ops|backend)[\\/]").search(deepest.file)
    return room is not None and pattern(r"shape|\bax[ei]s\b|\bdims?\b|\[i\]").search(deepest.code or "") is not None


def _relays(file: str) -> bool:
    """Frames through which every error passes."""
    return (
        pattern(r"traceback_utils\.py$|[\\/]eager[\\/](?:execute|context)\.py$|[\\/]framework[\\/]ops\.py$").search(
            file
        )
        is not None
    )
