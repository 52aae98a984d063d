"""What the messages about two operands share: which op they name, and how a shape is shown."""

from __future__ import annotations

from xladoctor.rules.forms import N

Shape = tuple[int | None, ...]

PRODUCTS = frozenset(
    {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", "XlaEinsum", "Conv1D", "Conv2D", "Conv3D"}
    | {"DepthwiseConv2dNative", "XlaDot", "XlaDotV2", "Conv2DBackpropInput", "Conv2DBackpropFilter"}
    | {"SparseTensorDenseMatMul", "SparseMatMul", "BiasAdd"}
)
JOINS = frozenset({"Concat", "ConcatV2", "Pack", "ParallelConcat"})
EQUAL = (
    rf"Dimensions must be equal, but are {N} and {N} for '?(?:\{{\{{node "
    rf")?[^\s'{{}}]{{1,400}}(?:\}}\}} = |' \(op: ')(\w{{1,80}})"
)


def without_dtype(group: str) -> str:
    """`f32[2,3]` as `[2,3]`."""
    at = group.find("[")
    return group[at:] if at > 0 else group


def show(dims: Shape) -> str:
    """A shape as TensorFlow prints it: `[2, ?]`."""
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"
