"""Blame for values that are taken from another source than those beside, and for what was made before rows went."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed


def blames_for(found: Blame | None, word: str) -> list[str]:
    """The source of the suspects whose reason has a word."""
    return [s.code for s in found.suspects if word in s.reason] if found is not None else []


FIELDS = """
import tensorflow as tf
from plant import Settings, read
STANDARD = Settings()
def add(x, table):
    return x + table
def build(cfg):
    table = positions(cfg.words, {}, cfg.width)
    return add(read(cfg), table)
def positions(words, length, width):
    return tf.zeros((length, width))
def main():
    return build(Settings(length=40))
main()
"""


@pytest.mark.parametrize(("length", "blames"), [("STANDARD.length", True), ("cfg.length", False)])
def test_a_field_of_the_defaults_among_those_in_use(length: str, blames: bool) -> None:
    told = blamed(
        FIELDS.format(length), ("<module>", "main()"), ("main", "return build"), ("build", "return add"),
        ("add", "x + table"), slug="broadcast-mismatch", message="Incompatible shapes: [8,40,6] vs. [32,6]",
        dims=(40, 32),
    )  # fmt: skip
    assert bool(blames_for(told, "all else from `cfg`")) == blames


ATTEND = """
import tensorflow as tf
from nets import read, to_key, to_value
def attend(query, memory):
    k = to_key(memory)
    v = to_value({})
    return tf.matmul(tf.matmul(query, k, transpose_b=True), v)
def main():
    query, memory = read()
    return attend(query, memory)
main()
"""


@pytest.mark.parametrize(("source", "blames"), [("query", True), ("memory", False)])
def test_values_of_an_attention_that_are_made_of_the_queries(source: str, blames: bool) -> None:
    told = blamed(
        ATTEND.format(source), ("<module>", "main()"), ("main", "return attend"), ("attend", "tf.matmul"),
        slug="matmul-conv-mismatch", message="Matrix size-incompatible: In[0]: [8,6], In[1]: [8,4]", dims=(6, 8),
    )  # fmt: skip
    assert bool(blames_for(told, "keys are made")) == blames


GROUP = """
import keras
from scans import load
def build(side):
    frames = keras.Input((16, 16, {}))
    return keras.Model(frames, keras.layers.Conv2D(4, 3)(frames))
def members(x, side):
    return x.reshape(-1, 16, 16, side ** 2)
def main():
    x, side = load(), 2
    model = build(side)
    return model(members(x, side))
main()
"""


@pytest.mark.parametrize(("channels", "blames"), [("side", True), ("side * side", False)])
def test_a_size_where_others_take_the_square(channels: str, blames: bool) -> None:
    told = blamed(
        GROUP.format(channels), ("<module>", "main()"), ("main", "return model"), slug="keras-input-mismatch",
        message="expected shape=(None, 16, 16, 2), found shape=(9, 16, 16, 4)", dims=(2, 4),
    )  # fmt: skip
    assert bool(blames_for(told, "the square of it")) == blames


NEAR = """
import numpy as np
from scans import near, shoot
class Scan:
    def __init__(self, spots):
        {first}
        frames = shoot(spots)
        good = frames.sum(axis=(1, 2)) > 5
        frames, spots = frames[good], spots[good]
        {second}
        self.frames = frames
    def inputs(self):
        return self.frames[self.groups]
def main():
    return Scan(np.zeros((60, 2))).inputs()
main()
"""
MADE = "self.groups = near(spots)"


@pytest.mark.parametrize(("first", "second", "blames"), [(MADE, "pass", True), ("pass", MADE, False)])
def test_places_that_were_worked_out_before_some_were_left_out(first: str, second: str, blames: bool) -> None:
    told = blamed(
        NEAR.format(first=first, second=second), ("<module>", "main()"), ("main", "return Scan"),
        ("inputs", "self.frames[self.groups]"), slug="slice-out-of-bounds",
        message="index 58 is out of bounds for axis 0 with size 55", dims=(58, 55),
    )  # fmt: skip
    assert bool(blames_for(told, "is made of all of `spots`")) == blames


SCALES = """
import numpy as np
from tables import read
COLUMNS = ["load", "wind", "sun"]
class Range:
    def fit(self, values):
        self.span = np.ptp(values, axis=0)
        return self
    def inverse(self, values):
        return values * self.span
def main():
    table, forecast = read()
    y_range = Range().fit({})
    return y_range.inverse(forecast)
main()
"""


@pytest.mark.parametrize(("given", "weight"), [("table[COLUMNS]", True), ("table[['load']]", False)])
def test_a_scaler_of_the_targets_that_is_fitted_to_all_columns(given: str, weight: bool) -> None:
    told = blamed(
        SCALES.format(given), ("<module>", "main()"), ("main", "return y_range"), ("inverse", "values * self.span"),
        slug="broadcast-mismatch", message="operands could not be broadcast together with shapes (9,12) (3,)",
        dims=(12, 3),
    )  # fmt: skip
    assert told is not None and (told.suspects[0].code == f"y_range = Range().fit({given})") >= weight
