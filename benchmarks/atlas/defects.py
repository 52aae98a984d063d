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
    """What is wrong under XLA, and the lines between the import and the comparison."""

    title: str
    lines: str

    @property
    def program(self) -> str:
        """The whole program."""
        return _HEAD + self.lines + _TAIL


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
