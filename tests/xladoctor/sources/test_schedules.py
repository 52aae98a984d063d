"""What a schedule gives for some steps, computed from its source."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.schedules import divided, division, method_of, rates

PROGRAM = """
class Warm(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, warmup):
        self.peak, self.warmup = peak, warmup

    def __call__(self, step):
        step = tf.cast(step, tf.int32)
        if step < 0:
            return 1.0
        with tf.name_scope("warm"):
            return self.peak * tf.cast(tf.minimum(step // self.warmup, 1), tf.float32)
"""


def test_a_whole_number_division_gives_0_until_the_end():
    function = method_of(ast.parse(PROGRAM), "Warm")
    numbers = {"peak": 0.5, "warmup": 10}
    assert rates(function, numbers, [0, 5, 9, 10]) == [0.0, 0.0, 0.0, 0.5]
    assert rates(divided(function), numbers, [0, 5, 10]) == [0.0, 0.25, 0.5]
    assert division(function) == 11


@pytest.mark.parametrize("text", ["self.table[step]", "lookup(step)", "self.gone * step", "1 / step", "step.value"])
def test_what_is_not_known_has_no_value(text):
    tree = ast.parse(f"class Own:\n    def __call__(self, step):\n        return {text}\n")
    assert rates(method_of(tree, "Own"), {}, [0]) is None
    assert method_of(tree, "Other") is None


def test_arithmetic():
    text = "self.a * 0.5 * (1 + math.cos(np.pi * min(step, 4) / 4)) ** 2 if step else tf.constant(3.0)"
    tree = ast.parse(
        f"class Own:\n    def __call__(self, step):\n        rate = {text}\n        rate += 0\n        return rate\n"
    )
    assert rates(method_of(tree, "Own"), {"a": 2.0}, [0, 4, 2]) == [3.0, 0.0, pytest.approx(1.0)]


def test_what_is_counted_from_nothing_known_has_no_value():
    tree = ast.parse(
        "class Own:\n    def __call__(self, step):\n        self.seen += 1\n        return 0.1 / self.seen\n"
    )
    assert rates(method_of(tree, "Own"), {"rate": 1.0}, [0, 1]) is None
    assert rates(method_of(tree, "Own"), {"seen": 1.0}, [0, 1]) == [0.05, 0.05]
