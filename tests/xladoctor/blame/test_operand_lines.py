"""The operand of double width, by what the message says of it."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines

SOURCE = """
import numpy as np
import tensorflow as tf
from beam import frames, mask, table
class Fit:
    def __init__(self):
        self.table = tf.constant(table)
        self.frames = tf.constant(frames)
        self.mask = tf.constant(mask)
    def step(self, numbers):
        measured = tf.gather(self.frames, numbers)
        return OPERATION
fit = Fit()
fit.step([1, 2])
"""
FRAMES, MASK = "self.frames = tf.constant(frames)", "self.mask = tf.constant(mask)"
NAMED = "Input '{}' of 'Sub' Op has type {} that does not match type {} of argument '{}'."
COUNTED = "cannot compute Sub as input #{}(zero-based) was expected to be a {} tensor but is a {} tensor [Op:Sub]"


@pytest.mark.parametrize(
    ("operation", "message", "first"),
    [
        ("self.mask - measured", NAMED.format("y", "float64", "float32", "x"), FRAMES),
        ("self.mask - measured", NAMED.format("y", "float32", "float64", "x"), MASK),
        ("measured - self.mask", COUNTED.format(1, "float", "double"), MASK),
        ("measured - self.mask", COUNTED.format(1, "double", "float"), FRAMES),
    ],
)
def test_the_line_of_the_double_operand(operation, message, first):
    source = SOURCE.replace("OPERATION", operation)
    found = blamed(
        source,
        ("<module>", "fit.step"),
        ("step", f"return {operation}"),
        slug="dtype-mismatch",
        message=message,
        op="Sub",
    )
    assert lines(found)[0] == first


RAMPS = """
import numpy as np
def ramp(angle):
    return {ramp}
def scaled(counts):
    return counts.astype(np.float64) * np.exp(1j * counts)
"""
STEP = """
from dataclasses import dataclass
import numpy as np
import tensorflow as tf
from ramps import ramp, scaled
@dataclass
class Scan:
    waves: np.ndarray
    ramps: np.ndarray
scan = Scan(scaled(np.ones(3)).astype(np.complex64), ramp(np.ones(3)))
def move(waves, ramps):
    return waves * ramps
def step(batch):
    return move(batch["wave"], batch["ramp"])
step({"wave": scan.waves, "ramp": scan.ramps})
"""


@pytest.mark.parametrize(
    ("operand", "ramp", "first"),
    [
        ("y", "np.exp(1j * angle)", "return np.exp(1j * angle)"),
        ("y", "np.exp(1j * angle).astype(np.complex128)", "return np.exp(1j * angle).astype(np.complex128)"),
    ],
)
def test_the_double_operand_is_followed_through_dicts_and_fields(operand, ramp, first):
    other = {"x": "y", "y": "x"}[operand]
    message = (
        f"Input '{operand}' of 'Mul' Op has type complex128 that does not match type complex64 of argument '{other}'."
    )
    found = blamed(
        STEP,
        ("<module>", "step({"),
        ("step", "move(batch"),
        ("move", "waves * ramps"),
        slug="dtype-mismatch",
        message=message,
        op="Mul",
        more={"/work/ramps.py": RAMPS.format(ramp=ramp)},
    )
    assert found is not None and lines(found)[0] == first
    others = [s.reason for s in found.suspects if "counts" in s.code]
    assert not any("complex128" in reason for reason in others)


READ = """
import numpy as np
def spread(frames, dose):
    return np.sqrt(frames / dose)
def shapes(frames):
    return np.exp(frames)
def read(path):
    heights = {made}
    return heights
"""
FIT = """
import tensorflow as tf
from files import read
from pipes import batches
@tf.function
def step(model, heights):
    return tf.square(model - heights)
def main():
    for batch in batches(read("a")):
        step(tf.zeros(3), *batch)
main()
"""


@pytest.mark.parametrize(
    ("made", "first"),
    [
        ("np.sqrt(np.load(path) / 4)", "heights = np.sqrt(np.load(path) / 4)"),
        ("spread(np.load(path), 4)", "return np.sqrt(frames / dose)"),
    ],
)
def test_what_a_pipeline_hands_over_is_found_by_its_name(made, first):
    message = "Input 'y' of 'Sub' Op has type float64 that does not match type float32 of argument 'x'."
    found = blamed(
        FIT, ("<module>", "main()"), ("main", "step(tf.zeros"), ("step", "model - heights"), slug="dtype-mismatch",
        message=message, op="Sub", more={"/work/files.py": READ.format(made=made)},
    )  # fmt: skip
    assert first in lines(found)[:2]
