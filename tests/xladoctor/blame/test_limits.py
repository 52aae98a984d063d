"""Blame for mistakes at a limit, for loops that are followed in part, and for what an earlier call of a model used."""

from __future__ import annotations

import pytest

from xladoctor.blame import slices
from xladoctor.blame.bindings import index
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.earlier import only_later
from xladoctor.model.blame import Blame
from xladoctor.sources.files import Files

from .programs import MAIN, blamed, lines

PAST = "indices[3,1] = 90 is not in [0, 90)"


def out_of_range(source: str, message: str = PAST) -> Blame | None:
    """The blame of a program whose lookup finds an index out of range."""
    return blamed(source, ("<module>", "= lookup("), ("lookup", "return tf.gather"), message=message,
                  slug="index-out-of-range")  # fmt: skip


SAID = ("from 1", "largest number", "moves `begin`", "ends of the parts", "cuts to a limit")


def strong(found: Blame | None) -> list[str]:
    """The suspects that break one of the rules of a limit."""
    suspects = found.suspects if found is not None else ()
    return [s.code for s in suspects if any(said in s.reason for said in SAID)]


LOOKUP = """
import random
import numpy as np
import tensorflow as tf
from stock import names, labels
def lookup(rows, ids):
    return tf.gather(rows, ids)
rows = tf.zeros([90, 4])
{}
out = lookup(rows, ids)
"""


@pytest.mark.parametrize(
    ("line", "blames"),
    [
        ("ids = np.random.default_rng(1).integers(1, len(names) + 1, 40)", True),
        ("ids = np.array([random.randint(0, len(names)) for _ in range(40)])", True),
        ("ids = np.array([hash(name) % 90 + 1 for name in names])", True),
        ("ids = np.array([i for i, _ in enumerate(names, start=1)])", True),
        ("ids = np.random.default_rng(1).integers(1, 91, 40)", True),
        ("ids = np.random.default_rng(1).integers(0, 90, 40)", False),
        ("ids = np.array([random.randint(1, 90) for _ in range(40)])", True),
        ("ids = np.array([random.randint(1, 12) for _ in range(40)])", False),
        ("ids = np.random.default_rng(1).integers(0, len(names), 40)", False),
        ("ids = np.array([random.randint(0, len(names) - 1) for _ in range(40)])", False),
        ("ids = np.array([hash(name) % 90 for name in names])", False),
    ],
)
def test_numbers_that_go_one_past_the_last_row(line: str, blames: bool) -> None:
    found = out_of_range(LOOKUP.format(line))
    assert (line in strong(found)) is blames
    assert not blames or lines(found)[0] == line


JOINED = """
import numpy as np
import tensorflow as tf
from meshes import read
def lookup(rows, ids):
    return tf.gather(rows, ids)
def joined(meshes):
    points, faces, begin = [], [], 0
    for mesh in meshes:
{}
        points.append(mesh.points)
    return tf.concat(points, 0), tf.concat(faces, 0)
rows, ids = joined(read())
out = lookup(rows, ids)
"""
MOVE, ADD = "        begin += len(mesh.points)", "        faces.append(mesh.faces + begin)"


@pytest.mark.parametrize(("first", "second", "blames"), [(MOVE, ADD, True), (ADD, MOVE, False)])
def test_an_offset_that_moves_on_before_it_is_added(first: str, second: str, blames: bool) -> None:
    found = out_of_range(JOINED.format(f"{first}\n{second}"), "indices[7,0] = 131 is not in [0, 120)")
    assert (MOVE.strip() in strong(found)) is blames
    assert not blames or lines(found)[0] == MOVE.strip()


SUMS = """
import numpy as np
import tensorflow as tf
from meshes import read
def lookup(rows, ids):
    return tf.gather(rows, ids)
def joined(meshes):
    counts = [len(mesh.points) for mesh in meshes]
    {}
    faces = [mesh.faces + begin for mesh, begin in zip(meshes, begins)]
    return np.concatenate([mesh.points for mesh in meshes]), np.concatenate(faces)
rows, ids = joined(read())
out = lookup(rows, ids)
"""


@pytest.mark.parametrize(
    ("line", "blames"),
    [
        ("begins = np.cumsum(counts)", True),
        ("begins = np.concatenate([[0], np.cumsum(counts)[:-1]])", False),
        ("begins = np.cumsum(counts) - counts", False),
    ],
)
def test_the_ends_of_parts_that_are_taken_for_their_starts(line: str, blames: bool) -> None:
    found = out_of_range(SUMS.format(line), "indices[7,0] = 131 is not in [0, 120)")
    assert (line in strong(found)) is blames
    assert not blames or lines(found)[0] == line


TOKENS = """
import numpy as np
import tensorflow as tf
from corpus import read, NUMBERS
LONGEST = 32
def encoded(text):
    {}
    return {}
def embedded(ids, places):
    return tf.gather(tf.zeros([99, 8]), ids) + places[: tf.shape(ids)[1]]
ids = tf.constant([encoded(text) for text in read()])
out = embedded(ids, tf.zeros([LONGEST, 8]))
"""


@pytest.mark.parametrize(
    ("cut", "put", "blames"),
    [
        ("ids = [NUMBERS[c] for c in text[:LONGEST]]", "[1] + ids", True),
        ("ids = [NUMBERS[c] for c in text][:LONGEST]", "[1, *ids, 2]", True),
        ("ids = np.array(text)[:LONGEST]", "np.concatenate([[1], ids])", True),
        ("ids = [NUMBERS[c] for c in text[: LONGEST - 1]]", "[1] + ids", False),
        ("ids = [NUMBERS[c] for c in text[:LONGEST]]", "ids + [0] * (LONGEST - len(ids))", False),
    ],
)
def test_items_that_are_put_to_what_was_cut_to_its_limit(cut: str, put: str, blames: bool) -> None:
    found = blamed(
        TOKENS.format(cut, put), ("<module>", "out = embedded"), ("embedded", "return tf.gather"), dims=(33, 32),
        message="Incompatible shapes: [16,33,8] vs. [32,8]", slug="broadcast-mismatch",
    )  # fmt: skip
    assert (cut in strong(found)) is blames
    assert not blames or lines(found)[0] == cut


def test_a_branch_of_a_loop_that_is_followed_in_part() -> None:
    """What the first two of hundreds of rounds count up does not decide whether the failing line is reached."""
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        class Memory:
            def __init__(self, places):
                self.seen = np.zeros((places, 4), "float32")
                self.gain = np.zeros((places, 1), "float32")
                self.size = 0
            def __len__(self):
                return self.size
            def put(self, seen, gain):
                self.seen[self.size], self.gain[self.size] = seen, gain
                self.size = self.size + 1
            def some(self, count):
                at = np.random.default_rng(1).integers(0, self.size, count)
                return self.seen[at], self.gain[at]
        def learn(pair):
            seen, gain = pair
            rows = tf.range(16)
            return tf.stack([rows, gain], axis=-1)
        memory = Memory(500)
        for step in range(200):
            memory.put(np.zeros(4), 1.0)
            if len(memory) >= 64:
                learn(memory.some(16))
        """,
        ("<module>", "learn(memory"),
        ("learn", "return tf.stack"),
        dims=(16, 1),
        shapes={},
        frame_shapes={"learn": {"seen": [16, 4], "gain": [16, 1], "rows": [16]}},
        message="Shapes of all inputs must match: values[0].shape = [16] != values[1].shape = [16,1]",
        slug="concat-pack-mismatch",
    )
    assert lines(found)[0] == 'self.gain = np.zeros((places, 1), "float32")'


def test_windows_of_a_table_whose_columns_are_looked_up() -> None:
    found = blamed(
        """
        import keras
        import pandas as pd
        import tensorflow as tf
        class Windows:
            def __init__(self, names, wanted, past, ahead):
                self.names = list(names)
                self.wanted = [self.names.index(w) for w in wanted]
                self.past, self.ahead = past, ahead
            @property
            def whole(self):
                return self.past + self.ahead - 1
            def pair(self, window):
                return window[:, :self.past], tf.gather(window[:, self.past:], self.wanted, axis=-1)
            def of(self, table):
                data = tf.data.Dataset.from_tensor_slices(table.to_numpy("float32"))
                data = data.window(self.whole, shift=3, drop_remainder=True)
                return data.flat_map(lambda part: part.batch(self.whole)).batch(8).map(self.pair)
        table = pd.DataFrame({"wind": range(90), "rain": range(90)})
        windows = Windows(table.columns, [n for n in table.columns if n > "s"], 20, 6)
        model = keras.Sequential([keras.Input((20, 2)), keras.layers.GRU(4), keras.layers.Dense(6),
                                  keras.layers.Reshape((6, 1))])
        model.compile("adam", "mse")
        model.fit(windows.of(table))
        """,
        ("<module>", "model.fit"),
        dims=(5, 6),
        message="Dimensions must be equal, but are 5 and 6 for Sub with input shapes: [?,5,1], [?,6,1].",
        slug="broadcast-mismatch",
    )
    assert found is not None
    assert found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [5, 6]


def test_sizes_of_an_inner_axis_are_no_rows() -> None:
    """224 and 112 steps have nothing to do with 240 rows in batches of 32, of which 16 are left."""
    found = blamed(
        """
        import keras
        import numpy as np
        x = np.zeros((240, 112, 1), "float32")
        model = keras.Sequential([keras.Input((112, 1)), keras.layers.UpSampling1D(2)])
        model.compile("adam", "mse")
        model.fit(x, x, batch_size=32)
        """,
        ("<module>", "model.fit"),
        dims=(112, 224),
        message="Dimensions must be equal, but are 112 and 224 for Sub with input shapes: [?,112,1], [?,224,1].",
        slug="broadcast-mismatch",
    )
    assert found is not None
    assert not any("rows in batches" in s.reason for s in found.suspects)


def test_main_is_run_whatever_an_edit_would_say() -> None:
    found = blamed(
        """
        import tensorflow as tf
        def main():
            return tf.zeros([4, 5]) @ tf.zeros([6, 3])
        if __name__ == "__main__":
            main()
        """,
        ("<module>", "    main()"),
        ("main", "return tf.zeros"),
        dims=(5, 6),
        message="Matrix size-incompatible: In[0]: [4,5], In[1]: [6,3]",
        slug="matmul-conv-mismatch",
    )
    assert not any("__name__" in line for line in lines(found)[:1])


EARLIER = """
from data import read, scaled
def training(images):
    return stacked(scaled(images))
def held_out(images):
    return scaled(images)[..., None]
def stacked(images):
    return images
images, model = read()
model.fit(training(images[:80]))
late = held_out(images[80:])
model.evaluate(late)
"""


def test_the_lines_that_only_a_later_call_of_a_model_uses() -> None:
    files = Files({MAIN: EARLIER}.get, ("/work",))
    crash = Crash((Frame(MAIN, 12, "<module>"),))
    known = index(files, MAIN)
    later = only_later(slices.hops(known, crash), files, known, crash)
    assert {files.code(*at) for at in later} == {"late = held_out(images[80:])", "return scaled(images)[..., None]"}
    first = Crash((Frame(MAIN, 10, "<module>"),))
    assert not only_later(slices.hops(known, first), files, known, first)
