"""XD6xx: element types."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import dtypes

RULES = (
    make(
        dtypes.dtype,
        code="XD601",
        slug="dtype-mismatch",
        title="Element types that do not match",
        level="error",
        what="Operands of one operation differ in element type, an op has no kernel for the type, "
        "or a value cannot be converted.",
        why="TensorFlow does not convert types by itself. NumPy's default is float64 and TensorFlow's is float32; or "
        "integers are combined with floats, or a real tensor goes into a complex op. An array of dtype object "
        "usually has rows of different lengths.",
        example="cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but "
        "is a int32 tensor [Op:AddV2]",
        tell_apart="`No registered '...' OpKernel for XLA_..._JIT` with a type in its attributes is "
        "`unsupported-op`. A mixture of float widths that runs does not fail, but changes results "
        "(`parity-divergence`).",
        remedies=(
            Remedy(
                "cast",
                "Cast where data enter",
                "changes-numerics",
                "`tf.cast(x, tf.float32)` (or complex64) where data enter, and give constants a dtype. A cast from "
                "float64 to float32 loses precision: compare the results once.",
            ),
        ),
        references=(
            "tensorflow/python/framework/op_def_library.py",
            "tensorflow/core/common_runtime/eager/execute.cc",
            "tensorflow/core/kernels/cast_op.cc",
            "tensorflow/python/lib/core/py_seq_tensor.cc",
        ),
    ),
)
