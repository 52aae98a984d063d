"""XD3xx: operands, inputs, weights whose shapes do not fit."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.matching import by_words, make
from xladoctor.rules.recognise import arrays, elementwise, joins, products, ranks
from xladoctor.rules.recognise import keras as see_keras
from xladoctor.rules.recognise import reshape as see_reshape
from xladoctor.rules.recognise.assertions import either, sizes
from xladoctor.rules.recognise.signature import element, fits
from xladoctor.rules.remedies import DIRECTLY

_TRACE = Remedy(
    "trace-shapes",
    "Look at the shapes before the line that raised",
    "safe",
    "`xladoctor trace -- CMD` shows the shapes in and out of every layer, and of the functions that you name under "
    "`[tool.xladoctor.places]` in pyproject.toml. The first wrong shape is the cause. In TensorFlow, use "
    "`tf.debugging.assert_shapes` at the start and end of your functions.",
)
_EAGER = Remedy(
    "run-eagerly",
    "Run the step eagerly once",
    "slower",
    "`tf.config.run_functions_eagerly(True)` (or `model.compile(run_eagerly=True)`) gives a Python traceback of this "
    "call, with its real shapes. Some mismatches are raised in only one of the two modes.",
)

RULES = (
    make(
        see_reshape.recognise,
        code="XD301",
        slug="reshape-mismatch",
        general=by_words("reshape-mismatch"),
        title="A reshape whose element counts do not agree",
        level="error",
        what="A tensor is reshaped to a shape that holds another number of elements.",
        why="The target was computed from another tensor (a batch size, a number of patches) than the one that is "
        "reshaped, or from constants that fit only one configuration. The line that raises is where two sizes meet. "
        "The wrong one was made earlier.",
        example="Input to reshape is a tensor with 778752 values, but the requested shape has 24336",
        tell_apart="The ratio of the two numbers is often the missing or surplus factor (a batch, a number of "
        "channels). A number can be a product in many ways; only recorded shapes decide which. With `-1` in the "
        "target the message says `requires a multiple of`. Sizes that differ in an element-wise op are "
        "`broadcast-mismatch`.",
        remedies=(_TRACE, _EAGER),
        references=(
            "tensorflow/core/kernels/reshape_op.h",
            "tensorflow/compiler/tf2xla/kernels/reshape_op.cc",
            "tensorflow/core/ops/array_ops.cc (SetOutputShapeForReshape)",
        ),
    ),
    make(
        either(elementwise.broadcast, sizes("broadcast-mismatch"), arrays.sizes),
        code="XD302",
        slug="broadcast-mismatch",
        general=by_words("broadcast-mismatch"),
        title="An element-wise operation on shapes that do not broadcast",
        level="error",
        what="Two operands of an element-wise operation differ on an axis on which neither has size 1.",
        why="Broadcasting aligns axes from the right and repeats sizes of 1 only. If one size is "
        "a multiple of the other, a batch was split, repeated or collapsed on one side only.",
        example="Dimensions must be equal, but are 5088 and 159 for '{{node mul_21}} = "
        "Mul[T=DT_FLOAT](mul_17, mul_13)' with input shapes: [5088,?,?,1], [159,?,?,1].",
        tell_apart="Under XLA with bounded dynamic sizes the same program may pad or cut silently "
        "(`wrong-shape-silent`). `Dimensions must be equal` of a MatMul is "
        "`matmul-conv-mismatch`, of a concat `concat-pack-mismatch`.",
        remedies=(
            _TRACE,
            Remedy(
                "dont-reindex",
                "Do not repeat or cut one side to fit",
                "risky",
                "A gather or tile that forces the sizes to agree removes the error, but pairs the wrong rows "
                "(`wrong-pairing`). Find the side whose count is wrong.",
            ),
        ),
        references=(
            "tensorflow/core/kernels/cwise_ops_common.cc",
            "tensorflow/core/framework/common_shape_fns.cc (BroadcastBinaryOpOutputShapeFn)",
            "tensorflow/core/kernels/mlir_generated (required broadcastable shapes)",
        ),
    ),
    make(
        either(joins.concat, arrays.uneven),
        code="XD303",
        slug="concat-pack-mismatch",
        general=by_words("concat-pack-mismatch"),
        title="Tensors that are joined or stacked differ in shape",
        level="error",
        what="The inputs of a concat differ on an axis other than the one that is joined, or the "
        "inputs of a stack differ at all: also the elements of a list that becomes one array.",
        why="Skip connections whose sizes are rounded differently on the way down and up, a last partial batch, or "
        "padding on only one side.",
        example="ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [2,4]",
        tell_apart="XLA words it `Cannot concatenate arrays that differ in dimensions other than the "
        "one being concatenated`."
        " In an element-wise op the same two shapes are `broadcast-mismatch`.",
        remedies=(
            _TRACE,
            Remedy(
                "crop-or-pad",
                "Make the sizes agree at their source",
                "changes-numerics",
                "Find the tensor with the wrong size, and correct it where it is made. In a network with skip "
                "connections, use input sizes that are divisible by the total stride, or crop or pad one side.",
            ),
        ),
        references=(
            "tensorflow/core/kernels/concat_op.cc",
            "tensorflow/core/kernels/pack_op.cc",
            "xla/service/shape_inference.cc (InferConcatOpShape)",
            "keras/src/layers/merging/concatenate.py",
        ),
    ),
    make(
        products.product,
        code="XD304",
        slug="matmul-conv-mismatch",
        general=by_words("matmul-conv-mismatch"),
        title="A product or convolution whose sizes do not fit",
        level="error",
        what="The contracted axes of a matrix product or einsum differ, the channels of a "
        "convolution do not fit its kernel, or the window is larger than the input.",
        why="A transposed operand, a flattened size that depends on the input size, channels first instead of "
        "channels last, or too many pooling steps for a small input.",
        example="Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]",
        tell_apart="A Keras layer checks its input (`keras-input-mismatch`) before the op runs. `required rank` "
        "messages are `rank-mismatch`. Under XLA an einsum with unknown static sizes may not be checked at all.",
        remedies=(_TRACE, _EAGER),
        references=(
            "tensorflow/core/kernels/matmul_op_impl.h",
            "tensorflow/core/kernels/conv_ops.cc",
            "tensorflow/core/kernels/linalg/einsum_op_impl.h",
            "xla/service/shape_inference.cc (InferDotOpShape)",
        ),
    ),
    make(
        either(ranks.rank, sizes("rank-mismatch"), fits("rank-mismatch"), arrays.ranks),
        code="XD305",
        slug="rank-mismatch",
        general=by_words("rank-mismatch"),
        title="A tensor with the wrong number of axes",
        level="error",
        what="An operation got a tensor with more or fewer axes than it takes, or an axis number "
        "that the tensor does not have.",
        why="A missing batch axis (one sample given where a batch is expected), a squeeze that removed one axis of "
        "size 1 too many, or an integer index instead of a slice.",
        example="Shape must be rank 2 but is rank 3 for '{{node MatMul}} = MatMul[...](x, y)' with "
        "input shapes: [2,2,3], [3,5].",
        tell_apart="Only the number of axes is wrong here, not a size. A convolution in TensorFlow 2.21 may abort "
        "the process (`Invalid index from the dimension: 3, 0, C`) instead of raising. If the number of axes agrees "
        "and a size does not, it is `matmul-conv-mismatch` or `broadcast-mismatch`.",
        remedies=(
            _TRACE,
            Remedy(
                "explicit-axes",
                "Name the axes",
                "safe",
                "Use `x[tf.newaxis]` for a missing batch axis and `tf.squeeze(x, axis=[...])` with explicit axes.",
            ),
        ),
        references=(
            "tensorflow/core/framework/shape_inference.cc (WithRank)",
            "tensorflow/core/kernels/transpose_op.cc",
            "tensorflow/core/kernels/reduction_ops_common.cc",
            "tensorflow/core/util/tensor_format.h",
        ),
    ),
    make(
        ranks.out_of_bounds,
        code="XD306",
        slug="slice-out-of-bounds",
        general=by_words("slice-out-of-bounds"),
        title="An index, slice or split outside the tensor",
        level="error",
        what="An index, a slice or a part of a split is outside its axis.",
        why="Bounds made for another size (a canvas, a sequence, a batch that is not full), or an off-by-one.",
        example="slice index 5 of dimension 0 out of bounds.",
        tell_apart="An index or a label among the data (gather, embedding, scatter, a loss) is `index-out-of-range`. "
        "Two shapes that do not fit are `broadcast-mismatch` or `reshape-mismatch`. Here an index is wrong.",
        remedies=(
            Remedy(
                "check-range",
                "Check the range of the indices where they are made",
                "safe",
                "Compare `tf.reduce_min` and `tf.reduce_max` of the indices with the size of the axis, in eager code "
                "(XLA drops assertions).",
            ),
            _TRACE,
        ),
        references=(
            "tensorflow/core/kernels/gather_op.cc",
            "tensorflow/core/kernels/slice_op.cc",
            "tensorflow/core/util/strided_slice_op.cc",
            "tensorflow/core/kernels/sparse_xent_op.cc",
        ),
    ),
    make(
        either(see_keras.input_mismatch, sizes("keras-input-mismatch"), arrays.inputs),
        code="XD307",
        slug="keras-input-mismatch",
        general=by_words("keras-input-mismatch"),
        title="An input or target that does not fit the Keras layer or model",
        level="error",
        rank=45,
        what="The data do not fit the input of a layer or model, or the targets do not fit the outputs: a wrong size "
        "on an axis, a wrong number of axes or inputs, or different numbers of samples.",
        why="The model was built for another configuration (channels, image size) than the data, "
        "a batch axis is missing, or inputs are passed in another order or number.",
        example='Input 0 of layer "conv2d" is incompatible with the layer: expected axis -1 of input '
        "shape to have value 4, but received input with shape (2, 64, 64, 1)",
        tell_apart="Keras checks before any op runs, so the layer in the message is the right one. An error inside "
        "`call` (`Exception encountered when calling ...`) is another class, by its inner message. Saved weights "
        "that do not fit are `weight-shape-mismatch`.",
        remedies=(
            Remedy(
                "match-data",
                "Make data and model agree on one configuration",
                "safe",
                "Print `model.input_shape` beside the shapes of the arrays that you pass; build the model again "
                "after you change settings that decide its shapes.",
            ),
        ),
        references=(
            "keras/src/layers/input_spec.py",
            "keras/src/models/functional.py",
            "keras/src/losses/loss.py",
            "keras/src/trainers/data_adapters/data_adapter_utils.py",
        ),
    ),
    make(
        see_keras.weights,
        code="XD308",
        slug="weight-shape-mismatch",
        general=by_words("weight-shape-mismatch"),
        title="Saved or given weights do not fit the model",
        level="error",
        rank=45,
        what="Weights from a file, a checkpoint or `set_weights` differ from the model's variables in shape or number.",
        why="The model was built with other settings (channels, units, gridsize) than the one "
        "that was saved, or layers were added, removed or reordered.",
        example="Layer head weight shape (4, 3) is not compatible with provided weight shape (5, 3).",
        tell_apart="The message names shapes of variables, not of activations. `Shapes (None, 3) and (None, 2) are "
        "incompatible` in a loss is `keras-input-mismatch`.",
        remedies=(
            Remedy(
                "same-config",
                "Rebuild the model with the configuration that it was saved with",
                "safe",
                "Save the configuration beside the weights (or save the whole model as .keras), and build from it.",
            ),
            Remedy(
                "skip-mismatch",
                "Load what fits",
                "changes-numerics",
                "`load_weights(path, skip_mismatch=True)` leaves the other layers at their initial "
                "values: only for transfer learning.",
            ),
        ),
        references=(
            "keras/src/saving/saving_lib.py",
            "keras/src/legacy/saving/legacy_h5_format.py",
            "keras/src/layers/layer.py",
            "tensorflow/python/checkpoint",
            "tensorflow/core/util/tensor_bundle",
        ),
    ),
    make(
        either(see_keras.contract, sizes("contract-violation"), fits("contract-violation"), element),
        code="XD309",
        slug="contract-violation",
        title="A watched function got or returned a shape that breaks its contract",
        level="error",
        rank=20,
        what="A shape breaks a shape contract: that of a watched function, of tf.ensure_shape, of a shape "
        "annotation, or of the signature of a function or a generator.",
        why="The first broken contract in call order is the cause. Later errors are its consequences.",
        example="ptycho.custom_layers:ReassemblePatchesLayer.call: contract (B P P 1), got (1 78 78 1) with B=32\n"
        "Shape of tensor x [3] is not compatible with expected shape [4].",
        tell_apart="The program, or its contract, states the expected shape. An error of a later op "
        "(`reshape-mismatch`, `broadcast-mismatch`) often follows from it. XLA drops `tf.debugging.assert_*`, but "
        "tf.ensure_shape still raises.",
        remedies=(
            Remedy(
                "fix-first-violation",
                "Correct the first function that breaks its contract",
                "safe",
                "If an argument breaks the contract, the caller made it wrong: follow it back. If the arguments are "
                "right and the result is wrong, the mistake is inside the function, where an axis is summed or "
                "reshaped.",
            ),
            DIRECTLY,
        ),
        references=(
            "tensorflow/core/kernels/shape_ops.cc (EnsureShapeOp)",
            "tensorflow/python/ops/check_ops.py (assert_shapes)",
            "xladoctor: probes.record (places)",
        ),
    ),
    make(
        ranks.out_of_range,
        general=by_words("index-out-of-range"),
        code="XD310",
        slug="index-out-of-range",
        title="An index or a label without a row",
        level="error",
        what="A gather, an embedding, a scatter, a segment sum or a loss got an index or a class label for which "
        "there is no row.",
        why="The vocabulary or the number of classes grew after the layer was made, labels start at 1, padding is "
        "-1, or the ids belong to another table.",
        example="indices[0,0] = 12 is not in [0, 10)",
        tell_apart="Here a value in the data is wrong, not a shape. A slice or a split outside its axis is "
        "`slice-out-of-bounds`. On a GPU, and under XLA, such an index does not raise: it is silently clamped or "
        "dropped. So the same data may fail only on a CPU.",
        remedies=(
            Remedy(
                "check-range",
                "Check the range of the indices where they are made",
                "safe",
                "Compare `tf.reduce_min` and `tf.reduce_max` of the indices (or `np.unique` of the labels) with the "
                "size of the table, in eager code (XLA drops assertions).",
            ),
            Remedy(
                "size-of-table",
                "Give the table one row for each index",
                "changes-numerics",
                "`Embedding(input_dim=largest index + 1)`, or as many units in the last layer as there are classes. "
                "New rows start untrained.",
            ),
        ),
        references=(
            "tensorflow/core/kernels/gather_op.cc",
            "tensorflow/core/kernels/scatter_nd_op.cc",
            "tensorflow/core/kernels/segment_reduction_ops_impl.h",
            "tensorflow/core/kernels/sparse_xent_op.cc",
        ),
    ),
)
