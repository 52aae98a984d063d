"""The line that leaves one more than there should be."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines

TABLE = """
import numpy as np
import pandas as pd
import keras
df = pd.read_csv("cells.csv")
DROPPED = ["id", "grade"]
{}
y = keras.utils.to_categorical(df["grade"])
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
net.compile("adam", "categorical_crossentropy")
net.fit(x, y)
"""

NAMES = 'names = [c for c in df.columns if c != "id"]'


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (f"{NAMES}\nx = df[names].values", NAMES),
        ('x = df.drop(columns=["id"]).astype("float32")', 'x = df.drop(columns=["id"]).astype("float32")'),
        ("x = df.values", "x = df.values"),
        ('names = [c for c in df.columns if c not in ("id", "grade")]\nx = df[names].values', None),
        ("names = [c for c in df.columns if c not in DROPPED]\nx = df[names].values", None),
        ("x = df.drop(columns=DROPPED)", None),
        ('x = df[["a", "b", "c", "d", "e"]]', None),
    ],
)  # fmt: skip
def test_labels_among_the_columns(made, line):
    message = "expected axis -1 of input shape to have value 4, but received input with shape (None, 5)"
    found = blamed(TABLE.format(made), ("<module>", "net.fit"), dims=(4, 5), message=message)
    kept = [s.code for s in found.suspects if "It keeps the column `grade`" in s.reason]
    assert kept == ([] if line is None else [line])
    assert line is None or lines(found)[0] == line


LOOP = """
import numpy as np
import tensorflow as tf
def played(n):
    states, actions = {}, []
    s = np.zeros(4, "float32")
    for t in range(n):
        states.append(s)
        actions.append(0.5)
        s = s + 1.0
    {}
    return np.array(states), np.array(actions)
s, a = played(20)
loss = tf.reduce_sum(s, axis=1) * a
"""


@pytest.mark.parametrize(
    ("start", "end", "line"),
    [
        ("[]", "states.append(s)", "states.append(s)"),
        ("[np.zeros(4)]", "pass", "states, actions = [np.zeros(4)], []"),
        ("[]", "states.append(s); actions.append(0.0)", None),
        ("[]", "print(len(states))", None),
    ],
)
def test_an_element_outside_of_the_loop(start, end, line):
    message = "Incompatible shapes: [21] vs. [20]"
    found = blamed(
        LOOP.format(start, end), ("<module>", "loss ="), slug="broadcast-mismatch", dims=(21, 20), message=message,
        shapes={"s": [21, 4], "a": [20]},
    )  # fmt: skip
    more = [s.code for s in found.suspects if "one element more" in s.reason]
    assert more == ([] if line is None else [line])
    assert line is None or line in lines(found)[:2]
