"""Differences that look like defects of TensorFlow, each with a program: `python -m benchmarks.atlas.defects`.

Each program prints what eager execution gives, and what XLA gives.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

_HEAD = "import tensorflow as tf\n\n"
_TAIL = "print(f(x).numpy(), tf.function(f, jit_compile=True)(x).numpy())\n"


@dataclass(frozen=True)
class Defect:
    """What is wrong under XLA, or in a `graph`, and the lines between the import and the comparison."""

    title: str
    lines: str
    graph: bool = False

    @property
    def program(self) -> str:
        """The whole program."""
        return _HEAD + self.lines + (_TAIL.replace(", jit_compile=True", "") if self.graph else _TAIL)


DEFECTS = (
    Defect(
        "`ConjugateTranspose` of real numbers gives zeros and copies",
        "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])\nf = lambda x: tf.raw_ops.ConjugateTranspose(x=x, perm=[1, 0])\n",
    ),
    Defect(
        "`tf.reduce_max` passes over NaN",
        'x = tf.constant([1.0, float("nan"), 0.5])\nf = tf.reduce_max\n',
    ),
    Defect(
        "`tf.cumsum` of the rows that a mask has selected has no rows",
        "x = tf.constant([1.0, 2.0, 3.0])\nf = lambda x: tf.cumsum(tf.boolean_mask(x, x > 1.5))\n",
    ),
    Defect(
        "The gradient of a root that `tf.where` does not choose is NaN",
        "x = tf.constant([0.0, 4.0])\n\n\ndef f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        y = tf.where(x > 0.0, tf.sqrt(x), 0.0)\n    return tape.gradient(y, x)\n\n\n",
    ),
    Defect(
        "`tf.ensure_shape` passes the rows that a mask has selected by the size before the mask",
        "x = tf.constant([1.0, 2.0, 3.0, 4.0])\n"
        "f = lambda x: tf.size(tf.ensure_shape(tf.boolean_mask(x, x > 1.5), [4]))\n"
        "try:\n    f(x)\nexcept tf.errors.InvalidArgumentError as error:\n    print(type(error).__name__)\n"
        "f = tf.function(f, jit_compile=True)\n",
    ),
    Defect(
        "The last of the rows that a mask has selected is another one",
        "x = tf.constant([1.0, 2.0, 3.0, 4.0])\nf = lambda x: tf.boolean_mask(x, x < 2.5)[-1]\n",
    ),
    Defect(
        "The variance of 0, 1, ... 6, moved by 4096, is 7 in place of 4 (2.21)",
        "x = 4096.0 + tf.cast(tf.range(10**6) % 7, tf.float32)\nf = tf.math.reduce_variance\n",
    ),
    Defect(
        "With a stride that passes over rows, eager pooling and convolutions in three dimensions take a window in the"
        " middle, where XLA, and both in two dimensions, take the first one",
        "x = tf.reshape(tf.range(64.0), [1, 4, 4, 4, 1])\n"
        'f = lambda x: tf.nn.max_pool3d(x, ksize=2, strides=4, padding="SAME")\n',
    ),
    Defect(
        "A graph takes `not (x >= 1)` for `x < 1`, which NaN is not",
        'x = tf.constant(float("nan"))\nf = lambda x: tf.logical_not(x >= 1.0)\n',
        graph=True,
    ),
)


def outputs() -> list[tuple[Defect, str]]:
    """Each with what its program prints here."""
    runs = [
        subprocess.run([sys.executable, "-c", d.program], capture_output=True, text=True, check=False) for d in DEFECTS
    ]
    return [(defect, done.stdout.strip() or done.stderr[-300:]) for defect, done in zip(DEFECTS, runs, strict=True)]


if __name__ == "__main__":
    for defect, printed in outputs():
        sys.stdout.write(f"{defect.title}\n{printed}\n\n")
