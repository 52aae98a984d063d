"""What can stand at an input of an op: plain values that JSON holds, so that a call that was found in one version of
TensorFlow can be tried in another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Numbers of tensorflow/core/framework/types.proto.
FLOAT, DOUBLE, INT32, UINT8, INT16, INT8, STRING, COMPLEX64, INT64, BOOL = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
QINT8, QUINT8, QINT32, BFLOAT16, QINT16, QUINT16, UINT16, COMPLEX128, HALF = 11, 12, 13, 14, 15, 16, 17, 18, 19
RESOURCE, VARIANT, UINT32, UINT64 = 20, 21, 22, 23
KINDS = {
    FLOAT: "float32", DOUBLE: "float64", INT32: "int32", UINT8: "uint8", INT16: "int16", INT8: "int8",
    COMPLEX64: "complex64", INT64: "int64", BOOL: "bool", UINT16: "uint16", COMPLEX128: "complex128",
    HALF: "float16", UINT32: "uint32", UINT64: "uint64", QINT8: "int8", QUINT8: "uint8", QINT32: "int32",
    QINT16: "int16", QUINT16: "uint16", BFLOAT16: "float32",
}  # fmt: skip
_QUANTIZED = (QINT8, QUINT8, QINT32, QINT16, QUINT16)
WHOLE = (INT32, INT64, INT16, INT8, UINT8, UINT16, UINT32, UINT64)
TEXTS = {
    "word": b"a", "number": b"1", "json": b"{}", "csv": b"1", "base64": b"YWJj", "time": b"2020-01-01", "empty": b"",
    "regex": b"[a-z]", "png": None, "raw": b"\x00" * 8, "one-float": b"0.5",
}  # fmt: skip
"""Strings by name. The picture is made when it is asked for."""


@dataclass(frozen=True)
class Value:
    """One tensor: its type, its shape and by what it is filled; or a handle, whose `fill` says of what."""

    dtype: int
    shape: tuple[int, ...] = ()
    fill: str = "ramp"

    def array(self) -> Any:
        """The elements."""
        size = int(np.prod(self.shape))
        if self.dtype == STRING:
            flat = np.empty(size, object)
            flat[:] = TEXTS.get(self.fill) or b"a"
            return flat.reshape(self.shape)
        kind = np.dtype(KINDS[self.dtype])
        counted = np.arange(size).reshape(self.shape)
        if self.fill.lstrip("-").replace(".", "", 1).isdigit():
            return np.full(self.shape, float(self.fill)).astype(kind)
        if self.dtype == BOOL:
            return counted % 2 == 0
        if self.fill == "sizes":
            return (2 + 2 * (counted % 2)).astype(kind)
        if self.fill == "iota" or self.dtype in (*WHOLE, *_QUANTIZED):
            return (counted % 64).astype(kind)
        if self.fill == "reversed":
            return counted[::-1].astype(kind) if self.shape else counted.astype(kind)
        values = np.linspace(0.1, 0.9, size).reshape(self.shape) if size else np.zeros(self.shape)
        if len(self.shape) >= 2 and self.shape[-1] == self.shape[-2]:
            values = values + 4 * np.eye(self.shape[-1])
        return values.astype(kind)

    def tensor(self, array: Any = None) -> Any:
        """The same as a tensor of TensorFlow; `array` in place of its own elements."""
        import tensorflow as tf

        if self.dtype == VARIANT:
            return _handle(self.fill)
        elements = self.array() if array is None else array
        if self.dtype == STRING:
            return tf.constant(elements.tolist() if elements.ndim else elements.item(), tf.string)
        if self.dtype in _QUANTIZED:
            return tf.bitcast(tf.constant(elements), tf.as_dtype(self.dtype))
        made = tf.constant(elements)
        return tf.cast(made, tf.bfloat16) if self.dtype == BFLOAT16 else made


HANDLES = ("dataset", "pairs", "texts", "batches", "list", "optional", "ragged", "csr")


def _handle(kind: str) -> Any:
    import tensorflow as tf

    raw = tf.raw_ops
    if kind == "list":
        return raw.TensorListFromTensor(tensor=tf.zeros((2, 4)), element_shape=tf.constant([4]))
    if kind == "optional":
        return raw.OptionalFromValue(components=[tf.constant(1, tf.int64)])
    if kind == "ragged":
        return raw.RaggedTensorToVariant(
            rt_nested_splits=[tf.constant([0, 2, 4], tf.int64)], rt_dense_values=tf.zeros((4,)), batched_input=False
        )
    if kind == "csr":
        indices = tf.constant([[0, 0], [1, 1], [2, 2], [3, 3]], tf.int64)
        return raw.DenseToCSRSparseMatrix(dense_input=4 * tf.eye(4), indices=indices)
    data = tf.data.Dataset.range(4)
    if kind == "pairs":
        data = tf.data.Dataset.zip((data, data))
    elif kind == "texts":
        data = tf.data.Dataset.from_tensors("a")
    elif kind == "batches":
        data = data.batch(2)
    return data._variant_tensor
