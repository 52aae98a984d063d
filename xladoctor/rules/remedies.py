"""Remedies that several classes share."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy

JIT_OFF = Remedy(
    "jit-off",
    "Do without XLA for this function",
    "slower",
    "`jit_compile=False` in `model.compile` or on the tf.function. "
    "TF_XLA_FLAGS=--tf_xla_auto_jit=0 does not reach explicit jit_compile.",
)

STATIC = Remedy(
    "static-size",
    "Give the axis a static size",
    "safe",
    "Make the number of rows the same on every path (pad to the full size and mask the "
    "result instead of selecting rows), and state it: `x = tf.ensure_shape(x, [N, ...])` "
    "raises if it does not hold.",
)

OUTSIDE = Remedy(
    "move-outside",
    "Move it out of the compiled function",
    "safe",
    "Do it in the caller, in tf.data's map, or in a callback; pass its result in.",
)
