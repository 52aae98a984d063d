"""Blame by sums of parts, spellings of keys, names that differ in one word, stored bytes, and described parts."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed, lines


def reasons(found: Blame | None, word: str) -> list[str]:
    """The source of the suspects whose reason has a word."""
    return [s.code for s in found.suspects if word in s.reason] if found is not None else []


SPLIT = """
import tensorflow as tf
KINDS = ("crack", "dent")
def width():
    return {}
def parts(t):
    return tf.split(t, [3, 1, len(KINDS)], axis=-1)
def main(raw):
    return parts(tf.reshape(raw, (8, width())))
main(raw)
"""


@pytest.mark.parametrize(("width", "blames"), [("3 + len(KINDS)", True), ("4 + len(KINDS)", False)])
def test_a_sum_that_leaves_out_a_part_of_a_split(width: str, blames: bool) -> None:
    told = blamed(
        SPLIT.format(width), ("<module>", "main(raw)"), ("main", "return parts"), ("parts", "tf.split"),
        message="can't split axis of size 5 into pieces of size [3,1,2] for node", slug="slice-out-of-bounds",
        dims=(3, 1, 2),
    )  # fmt: skip
    assert (reasons(told, "adds up 5") == [f"return {width}"]) == blames


JOIN = """
import numpy as np
import tensorflow as tf
from rig import load
def stack(tide, slope):
    return np.concatenate([tide, slope], axis={})
def main():
    tide, slope = load()
    return tf.constant(stack(tide, slope)) + tf.zeros((40, 12))
main()
"""


@pytest.mark.parametrize(("axis", "blames"), [("0", True), ("-1", False)])
def test_two_that_are_joined_along_another_axis(axis: str, blames: bool) -> None:
    told = blamed(
        JOIN.format(axis), ("<module>", "main()"), ("main", "return tf.constant"), dims=(6, 12),
        message="Incompatible shapes: [80,6] vs. [40,12]", slug="broadcast-mismatch",
    )  # fmt: skip
    assert bool(reasons(told, "joins 2 along axis")) == blames


TABLE = """
import pandas as pd
from meter import hourly
WANTED = ["flow_mean", "flow_max", "level_mean"]
def daily(table):
    days = table.groupby("day").agg({{"flow": ["mean", "max"], "level": ["mean"]}})
    days.columns = [{} for c in days.columns]
    return days
def main():
    return daily(hourly())[WANTED]
main()
"""


@pytest.mark.parametrize(
    ("name", "blames"), [("'-'.join(c)", True), ("f'{c[0]}.{c[1]}'", True), ("'_'.join(c)", False), ("c[0]", False)]
)
def test_a_key_whose_parts_are_joined_by_another_sign(name: str, blames: bool) -> None:
    told = blamed(
        TABLE.format(name), ("<module>", "main()"), ("main", "daily(hourly())"), slug="not-xla",
        message="\"['flow_mean', 'flow_max', 'level_mean'] not in index\"",
    )  # fmt: skip
    assert (lines(told)[:1] == [f"days.columns = [{name} for c in days.columns]"]) == blames


METRICS = """
import keras
COLUMNS = ["loss", "err", "val_err", "auc"]
def build():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanAbsoluteError(name="{}"), keras.metrics.AUC(name="auc")])
    return model
def table(model):
    return model.history[COLUMNS]
def main():
    return table(build())
main()
"""


@pytest.mark.parametrize(("name", "blames"), [("error", True), ("err", False), ("mae", False)])
def test_a_name_that_is_nearly_the_missing_key(name: str, blames: bool) -> None:
    told = blamed(
        METRICS.format(name), ("<module>", "main()"), ("main", "table(build())"), ("table", "model.history"),
        slug="not-xla", message="\"['err', 'val_err'] not in index\"",
    )  # fmt: skip
    assert bool(reasons(told, "the missing key is `err`")) == blames


SHELVES = """
import tensorflow as tf
from shop import read
class Shelves:
    def __init__(self, sales):
        self.sales = sales
        self.buyer_id = {{b: i for i, b in enumerate(sales.buyers)}}
        self.goods_id = {{g: i for i, g in enumerate(sales.all_goods)}}
    @property
    def n_buyers(self):
        return len(self.buyer_id)
    @property
    def n_goods(self):
        return {}
def look_up(table, ids):
    return tf.gather(table, ids)
def main():
    shelves = Shelves(read())
    return look_up(tf.zeros((shelves.n_goods, 4)), list(shelves.goods_id.values()))
main()
"""


@pytest.mark.parametrize(
    ("count", "blames"),
    [("len(set(self.sales.sold))", True), ("len(self.buyer_id)", True), ("len(self.goods_id)", False), ("12", False)],
)
def test_a_count_that_does_not_use_what_has_its_own_word(count: str, blames: bool) -> None:
    told = blamed(
        SHELVES.format(count), ("<module>", "main()"), ("main", "return look_up"), ("look_up", "tf.gather"),
        slug="index-out-of-range", message="indices[3] = 12 is not in [0, 12)", dims=(12,),
    )  # fmt: skip
    assert bool(reasons(told, "`n_goods`")) == blames


BYTES = '''
"""Frames are kept as {} bytes."""
import tensorflow as tf
from camera import shoot, store
def write(path):
    frame = shoot().astype("float32")
    store(path, frame.tobytes())
def read(raw):
    pixels = tf.io.decode_raw(raw, tf.uint8)
    return tf.reshape(pixels, (8, 8))
def main(raw):
    write("a")
    return read(raw)
main(raw)
'''


@pytest.mark.parametrize(
    ("kept", "first"),
    [("uint8", 'frame = shoot().astype("float32")'), ("float32", "pixels = tf.io.decode_raw(raw, tf.uint8)")],
)
def test_bytes_that_are_read_as_another_type(kept: str, first: str) -> None:
    told = blamed(
        BYTES.format(kept), ("<module>", "main(raw)"), ("main", "return read"), ("read", "tf.reshape"),
        dims=(256, 64), slug="reshape-mismatch", message="Input to reshape is a tensor with 256 values, but 64",
    )  # fmt: skip
    assert lines(told)[:1] == [first]


CORNERS = """
import numpy as np
from scans import load
def corners(height, width):
    '''(row, col) of each window.'''
    found = []
    for y in range(0, height, 8):
        for x in range(0, width, 8):
            found.append(({}))
    return found
def main():
    image = load()
    return np.stack([image[r : r + 8, c : c + 8] for r, c in corners(16, 64)])
main()
"""


@pytest.mark.parametrize(("pair", "blames"), [("x, y", True), ("y, x", False)])
def test_a_place_in_another_order_than_it_is_described(pair: str, blames: bool) -> None:
    told = blamed(
        CORNERS.format(pair), ("<module>", "main()"), ("main", "np.stack"), slug="concat-pack-mismatch",
        message="all input arrays must have the same shape",
    )  # fmt: skip
    assert (lines(told)[:1] == [f"found.append(({pair}))"]) == blames


BASIS = """
import numpy as np
from spectra import load
class Basis:
    '''`axes` has one row for each direction, shape (k, bands).'''
    def __init__(self, k):
        self.k = k
    def fit(self, x):
        u, s, vt = np.linalg.svd(x)
        self.axes = {}
    def scores(self, x):
        return x @ self.axes.T
def main():
    basis, x = Basis(3), load()
    basis.fit(x)
    return basis.scores(x)
main()
"""


@pytest.mark.parametrize(("cut", "blames"), [("vt[:, : self.k]", True), ("vt[: self.k, :]", False)])
def test_an_attribute_with_other_axes_than_it_is_described(cut: str, blames: bool) -> None:
    told = blamed(
        BASIS.format(cut), ("<module>", "main()"), ("main", "basis.scores(x)"), ("scores", "self.axes.T"),
        dims=(50, 3), message="matmul: size 3 is different from 50", slug="matmul-conv-mismatch",
    )  # fmt: skip
    assert (lines(told)[:1] == [f"self.axes = {cut}"]) == blames


LEVELS = """
import numpy as np
import tensorflow as tf
from wine import tasted
LEVELS = ["plain", "good", "great"]
NUMBER = {{level: i for i, level in enumerate(LEVELS, 1)}}
SIZE = len(LEVELS)
def pick(table, ids):
    return tf.gather(table, ids)
def main():
    ids = [NUMBER[level] for level in tasted()]
    best = pick(tf.zeros((SIZE, 2)), ids)
    {}
main()
"""


@pytest.mark.parametrize(
    ("back", "first"),
    [
        ("return LEVELS[int(best)]", "NUMBER = {level: i for i, level in enumerate(LEVELS, 1)}"),
        ("return LEVELS[best - 1]", "SIZE = len(LEVELS)"),
    ],
)
def test_a_list_that_is_read_back_by_its_numbers(back: str, first: str) -> None:
    told = blamed(
        LEVELS.format(back), ("<module>", "main()"), ("main", "best = pick"), ("pick", "tf.gather"),
        slug="index-out-of-range", message="indices[3] = 3 is not in [0, 3)", dims=(3,),
    )  # fmt: skip
    assert lines(told)[:1] == [first]
