"""Which classes are right for a message, from what was called and what of it was spoiled; no rule of the doctor is
asked.

An op belongs to the family of what it does: a product, a join, a slice. A wrong rank may be told as a rank or in the
words of the family, and so may a wrong dimension of an argument that lists axes. Where an op is of no family, its
inputs belong together in a way of its own, and `broadcast-mismatch` is the class of inputs that do not fit.
"""

from __future__ import annotations

import re

RANK, BROADCAST, RESHAPE = "rank-mismatch", "broadcast-mismatch", "reshape-mismatch"
JOIN, PRODUCT, SLICE = "concat-pack-mismatch", "matmul-conv-mismatch", "slice-out-of-bounds"
INDEX, KERAS, WEIGHTS, CONTRACT = (
    "index-out-of-range",
    "keras-input-mismatch",
    "weight-shape-mismatch",
    "contract-violation",
)
ARRAY = "tensor-array-size"
TYPES, UNSUPPORTED, KEY = "dtype-mismatch", "unsupported-op", "wrong-input-key"
_FAMILIES = (
    (r"Reshape|BatchToSpace|SpaceToBatch|DepthToSpace|SpaceToDepth|Bitcast|DecodeRaw", {RESHAPE}),
    (r"^(?:Concat|Pack|ParallelConcat|ParallelDynamicStitch|DynamicStitch|QuantizedConcat|AccumulateN|AddN)", {JOIN}),
    (r"BatchDataset|PaddedBatch", {JOIN}),
    (r"TensorList(?:Concat|Stack|FromTensor|Gather|Scatter)", {JOIN, "tensorlist-dynamic"}),
    (
        r"MatMul|Solve|Conv|Einsum|XlaDot|Dilation2D|BiasAdd|Pool|LRN|FusedBatchNorm|BatchNorm|LSTM|GRU|RNN|"
        r"Lu$|Svd|Qr|Cholesky|Inverse|Determinant|Eig",
        {PRODUCT},
    ),
    (r"Slice|Split|Reverse|Roll|Unpack|Unbatch|Pad|Mirror|ExtractImage|ExtractVolume|Crop|Glimpse|RFFT", {SLICE}),
    (r"Gather|Scatter|OneHot|Segment|Lookup|BincountNN|InTopK|SparseSoftmax|EmbeddingGrad|Where", {INDEX, SLICE}),
    (r"Assign|Restore|Save", {WEIGHTS}),
    (r"EnsureShape|Assert", {CONTRACT}),
)
_LAYERS = (
    (
        r"Conv|conv|Pool|pool|Dense|TimeDistributed|Bidirectional|SpectralNorm|Circle|Dot|LSTM|GRU|RNN|Attention|matmul|dot|tensordot|einsum|solve|inner|outer|batch_norm|inv|det|cholesky|qr|eigh",
        {PRODUCT},
    ),
    (r"Concat|concat|stack|append", {JOIN}),
    (r"Reshape|reshape|Flatten|Permute|Norm", {RESHAPE}),
    (r"Cropping|Pad|pad|slice|split|roll|Crop|flip|take|unstack|top_k", {SLICE}),
    (r"Embedding|Encoding|segment|scatter|Sparse|sparse|IoU|take|in_top_k|one_hot", {INDEX, SLICE}),
)
SHAPES = frozenset({"rank", "dimension", "count", "weights"})


def right(name: str, spoilt: str) -> frozenset[str]:
    """The classes that are right for what was spoiled of a call of `name`."""
    if spoilt == "dtype":
        return frozenset({TYPES, UNSUPPORTED})
    if spoilt == "key":
        return frozenset({KEY, KERAS})
    family = _family(name)
    if name.startswith("TensorList"):  # an element of another shape, or beyond the size
        family |= {ARRAY}
    if spoilt == "weights":
        return frozenset({WEIGHTS, KERAS})
    if spoilt == "index":
        return family | {INDEX, SLICE, RANK}
    return family | {RANK}


def _family(name: str) -> frozenset[str]:
    kind, _, what = name.rpartition(":")
    judges = "crossentropy" in what.lower()  # an op that takes targets and an output, as a loss does
    keras = {KERAS} if kind in ("layer", "loss", "metric", "fit", "saved") or judges else set()
    table = _LAYERS if kind else _FAMILIES
    named = next((slugs for source, slugs in table if re.search(source, what)), set())
    # Of a fit the layers are many, and of an op of no family the inputs just do not fit.
    if kind == "fit":
        return frozenset({KERAS, PRODUCT, BROADCAST, RESHAPE, INDEX})
    return frozenset({BROADCAST, *named, *keras})
