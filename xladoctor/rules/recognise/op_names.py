"""Which op a message is about, where only a node's name, a kernel's words or a kernel's file say so.

Default node names: the `name=` arguments of tensorflow/python/ops/*. Kernels: the constant parts of their checks in
tensorflow/core/kernels. Fusions: tensorflow/core/grappler/optimizers/remapper.cc, which gives a fused kernel the name
of its last op (a product with a bias and a Relu is called like the Relu).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.matching import flat, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

# The last part of a node's name, where Python's wrapper names it otherwise than the op is called.
_NODES = {
    "add": "AddV2", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv", "floordiv": "FloorDiv", "pow": "Pow",
    "mod": "FloorMod", "stack": "Pack", "unstack": "Unpack", "concat": "ConcatV2", "transpose": "Transpose",
    "strided_slice": "StridedSlice", "one_hot": "OneHot", "zeros_like": "ZerosLike", "ones_like": "OnesLike",
    "range": "Range", "split": "Split", "depthwise": "DepthwiseConv2dNative", "convolution": "Conv2D",
    "Conv1D": "Conv2D", "conv1d": "Conv2D", "conv2d_transpose": "Conv2DBackpropInput",
    "softmax_cross_entropy_with_logits": "SoftmaxCrossEntropyWithLogits",
    "softmax_cross_entropy_with_logits_sg": "SoftmaxCrossEntropyWithLogits",
    "sparse_softmax_cross_entropy_with_logits": "SparseSoftmaxCrossEntropyWithLogits",
    "TensorArrayV2": "TensorListReserve", "TensorArrayV2Stack": "TensorListStack",
    "TensorArrayV2Read": "TensorListGetItem", "py_func": "PyFunc", "max_pooling2d": "MaxPool",
}  # fmt: skip
_CALLS = frozenset({"StatefulPartitionedCall", "PartitionedCall"})
# Ops at the end of a fusion.
_TAILS = frozenset({"BiasAdd", "Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", "FusedBatchNormV3", "AddV2"})
# What only one family of kernels says.
_WORDS = (
    ("Matrix size-incompatible", "MatMul"),
    ("Blas GEMM launch failed", "MatMul"),
    ("Blas xGEMM launch failed", "MatMul"),
    ("Blas GEMV launch failed", "MatMul"),
    ("DNN library is not found", "Conv2D"),
    ("No algorithm worked", "Conv2D"),
    ("Failed to get convolution algorithm", "Conv2D"),
    ("input depth must be evenly divisible by filter depth", "Conv2D"),
    ("logits and labels must be broadcastable", "SoftmaxCrossEntropyWithLogits"),
    ("logits and labels must have the same first dimension", "SparseSoftmaxCrossEntropyWithLogits"),
    ("Received a label value of", "SparseSoftmaxCrossEntropyWithLogits"),
    ("Input to reshape is a tensor with", "Reshape"),
    ("ConcatOp : ", "ConcatV2"),
)
_FILES = {
    "matmul_op": "MatMul", "conv_ops": "Conv2D", "reshape_op": "Reshape", "xent_op": "SoftmaxCrossEntropyWithLogits",
    "sparse_xent_op": "SparseSoftmaxCrossEntropyWithLogits", "gather_op": "GatherV2",
    "strided_slice_op": "StridedSlice", "concat_op": "ConcatV2", "transpose_op": "Transpose",
    "tile_ops": "Tile", "pack_op": "Pack",
}  # fmt: skip
# An op in the sentence itself: `Squeeze op does not support ...`; an operation of MLIR in backquotes or quotes.
_SAID = (
    r"(?:^|[:.)] )([A-Z][a-z]\w{1,60}) op (?:does not|cannot|only) support"
    r"|(?:^|[:.] )(?:Node|op|operation) [`']((?:mhlo|stablehlo|chlo|tf|hlo|tfl|tf_executor)\.\w{1,80})[`']"
)
_FILE = r"OP_REQUIRES failed at (\w{1,60})\.(?:cc|h):\d"


def op_from(record: ErrorRecord) -> str | None:
    """The op type of a record that does not name one: from its node's name, a kernel's words or a kernel's file."""
    text = flat(record.text)
    named = _of_node(record.nodes[0], text) if record.nodes else None
    if named is not None and named not in _TAILS:
        return named
    return _of_words(text) or named or _of_file(text)


def _of_node(node: str, text: str) -> str | None:
    """The op that a node's default name spells (`translation_1/Reshape_2` is a Reshape)."""
    last = pattern(r"_\d+$").sub("", node.rsplit("/", 1)[-1])
    if last == "embedding_lookup":  # a resource variable since TensorFlow 2, a plain one in sessions
        return "ResourceGather" if "[Op:" in text or "/embedding/" in node else "GatherV2"
    known = _NODES.get(last)
    return known or (last if last[:1].isupper() and last not in _CALLS else None)


def _of_words(text: str) -> str | None:
    said = pattern(_SAID).search(text)
    if said:
        return said[1] or said[2]
    layer = pattern(r"(?:^|[.:] )A `([A-Z]\w{1,60})` layer (?:requires|should|expects)").search(text)
    return layer[1] if layer else next((op for words, op in _WORDS if words in text), None)


def _of_file(text: str) -> str | None:
    found = pattern(_FILE).search(text)
    return next((op for file, op in _FILES.items() if found[1].startswith(file)), None) if found else None
