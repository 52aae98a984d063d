from __future__ import annotations

import ast

import pytest

from tests.xladoctor.blame.programs import MAIN, blamed, lines
from tests.xladoctor.blame.test_cost import deep, follow
from xladoctor.blame import trials, variants
from xladoctor.blame.crash import Crash, Frame
from xladoctor.edits.facts import Facts
from xladoctor.sources.files import Files

SWAPPED = """
    import numpy as np
    from tensorflow import keras
    def grid(rows, columns):
        return np.zeros((rows, columns), "float32")
    class Board(keras.layers.Layer):
        def __init__(self, rows, columns):
            super().__init__()
            self.bias = grid(columns, rows)
        def call(self, x):
            return x + self.bias
    image = keras.Input((6, 9))
    out = Board(rows=6, columns=9)(image)
    """
ADDED = ("call", "return x + self.bias")


def test_two_arguments_that_are_called_like_each_other_s_parameter():
    found = blamed(SWAPPED, ("<module>", "out = Board"), ADDED, dims=(9, 6))
    assert "grid(columns, rows)" in lines(found)[0]
    assert found is not None and found.suspects[0].edit == "other"


def test_the_order_is_not_suspected_where_it_is_right():
    text = SWAPPED.replace("grid(columns, rows)", "grid(rows, columns)").replace("(6, 9)", "(9, 6)")
    found = blamed(text, ("<module>", "out = Board"), ADDED, dims=(9, 6))
    assert found is not None and all("self.bias = grid" not in line for line in lines(found)[:1])


def test_a_name_of_the_other_size_is_the_one_that_was_meant():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        WINDOW, SHOWN = 24, 10
        series = np.zeros(500)
        model = keras.Sequential([keras.Input((WINDOW, 1)), keras.layers.LSTM(8), keras.layers.Dense(1)])
        model.compile(loss="mse")
        model.fit(np.zeros((50, WINDOW, 1)), np.zeros((50, 1)))
        last = series[-SHOWN:]
        last = last.reshape(1, -1, 1)
        model.predict(last)
        """,
        ("<module>", "model.predict"),
        dims=(24, 10),
    )
    assert lines(found)[0] == "last = series[-SHOWN:]"


def test_the_branch_without_padding():
    found = blamed(
        """
        from tensorflow import keras
        from tensorflow.keras import layers
        x = keras.Input((20, 20, 3))
        a = layers.Conv2D(8, 1)(x)
        b = layers.Conv2D(8, 3)(x)
        c = layers.Conv2D(8, 5, padding="same")(x)
        both = layers.Concatenate()([a, b, c])
        """,
        ("<module>", "both ="),
        dims=(20, 18),
    )
    assert lines(found)[0] == "b = layers.Conv2D(8, 3)(x)"


def test_an_edit_that_only_moves_the_failure_does_not_count():
    found = blamed(
        """
        from tensorflow import keras
        from tensorflow.keras import layers
        def stack(x, depth):
            for i in range(depth):
                whole = i < depth - 2
                x = layers.GRU(6, return_sequences=whole)(x)
            return x
        steps, extra = keras.Input((12, 3)), keras.Input((4,))
        out = layers.Concatenate()([stack(steps, 3), extra])
        """,
        ("<module>", "out ="),
        ("stack", "x = layers.GRU"),
        dims=(2, 3),
    )
    assert "whole = i < depth - 2" in lines(found)[:2], "with return_sequences=True everywhere the join fails instead"


def facts(at: list[tuple[str, int]]) -> Facts:
    return Facts(
        "keras-input-mismatch", "Inputs have incompatible shapes.", sizes=(31, 32), lines=dict.fromkeys(at, 1.0)
    )


def test_every_edit_is_taken_back():
    run, line = follow(2)
    files = Files({MAIN: deep(2), "/work/deep.py": deep(2)}.get)
    crash = Crash((Frame("/work/deep.py", line, "<module>"),), sizes=(31, 32))
    base = type(run)(files, crash, {})
    base.run("/work/deep.py")
    source = files.source("/work/deep.py")
    assert source is not None
    before = ast.dump(source.tree)
    clash = base.arrivals[-1].clashes[0]
    lines = trials.lines_of(clash, [], files)
    tried = list(trials.Trials(base, clash, crash, files, "/work/deep.py").all(lines, facts(lines)))
    assert any(one.mends and not one.old for one in tried) and any(one.mends and one.old for one in tried)
    assert ast.dump(source.tree) == before


def test_the_work_is_bounded(monkeypatch):
    monkeypatch.setattr(trials, "MOST_STEPS", 25_000)
    files = Files({"/work/deep.py": deep(40)}.get)
    _, line = follow(40)
    crash = Crash((Frame("/work/deep.py", line, "<module>"),), sizes=(31, 32))
    run = type(follow(1)[0])(files, crash, {})
    run.run("/work/deep.py")
    clash = run.arrivals[-1].clashes[0]
    tries = trials.Trials(run, clash, crash, files, "/work/deep.py")
    lines = trials.lines_of(clash, [], files)
    assert list(tries.all(lines, facts(lines)))
    assert trials.MOST_STEPS < tries.steps < 2 * trials.MOST_STEPS


def test_names_speak_for_an_order_and_against_it():
    call = ast.parse("f(columns, rows)").body[0]
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
    names = variants.Names({}, frozenset(), {"f": ["rows", "columns"]}, {}, {})
    assert [v.named for v in variants.of_orders("a.py", call.value, {}, {}, names)] == [True]
    right = variants.Names({}, frozenset(), {"f": ["columns", "rows"]}, {}, {})
    assert not list(variants.of_orders("a.py", call.value, {}, {}, right))


def test_rows_that_are_dropped_after_the_labels_were_taken():
    found = blamed(
        """
        import pandas as pd
        from tensorflow import keras
        frame = pd.read_csv("a.csv")
        y = frame["price"]
        x = frame.drop(columns="price")
        x = x.dropna()
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
        model.compile(loss="mse")
        model.fit(x, y)
        """,
        ("<module>", "model.fit"),
        dims=(90, 100),
        shapes={"x": [90, 4], "y": [100], "frame": [100, 5]},
    )
    assert "x = x.dropna()" in lines(found)


def test_weights_of_samples_with_a_column_for_each_class():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        x, y = np.zeros((60, 5)), keras.utils.to_categorical(np.random.randint(0, 3, 60), 3)
        weight_of = np.array([1.0, 2.0, 3.0])
        weights = weight_of[y.astype(int)]
        model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(3)])
        model.compile(loss="categorical_crossentropy")
        model.fit(x, y, sample_weight=weights)
        """,
        ("<module>", "model.fit"),
        dims=(32, 3),
    )
    assert "weight_of[y" in lines(found)[0]


def test_cropping_and_texts_have_their_sizes():
    found = blamed(
        """
        from tensorflow import keras
        from tensorflow.keras import layers
        x = keras.Input((30, 2))
        y = layers.Conv1D(2, 5)(x)
        out = layers.Add()([y, layers.Cropping1D((1, 1))(x)])
        """,
        ("<module>", "out ="),
        dims=(26, 28),
    )
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [26, 28]


def test_nothing_is_joined_along_the_rows_of_a_batch():
    call = ast.parse("join([a, b], axis=-1)").body[0]
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
    names, minus_one = variants.Names({}, frozenset(), {}, {}, {}), call.value.keywords[0].value

    def tried(first: int | None) -> int:
        found = variants.of_settings("a.py", call.value, {minus_one: {-1}}, {call.value: (first, 4)}, names)
        return sum(v.edit == "axis" for v in found)

    assert (tried(None), tried(32)) == (2, 3)


POOLED = """
    from tensorflow import keras
    from tensorflow.keras import layers
    SIZE = 20
    def block(x, filters):
        x = layers.Conv2D(filters, 3)(x)
        return layers.MaxPooling2D(2)(x)
    x = keras.Input((SIZE, SIZE, 3))
    for filters in (16, 32, 64, 128):
        x = block(x, filters)
    """


def test_a_window_that_is_larger_than_what_is_left_of_its_axis():
    found = blamed(POOLED, ("<module>", "x = block"), ("block", "MaxPooling2D(2)"), dims=(1, 1, 64, 2, 2))
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [1, 2]
    # The third pooling of four fails: what the later ones would get is no size that anybody saw.
    assert not any(suspect.reason.endswith("size 0.") for suspect in found.suspects)
    assert all("(16, 32" not in line for line in lines(found)[:1])


LEVELS = """
import tensorflow as tf
def level(x, filters):
    x = tf.keras.layers.Conv2D(filters, 3, padding="same")(x)
    return x, tf.keras.layers.MaxPooling2D()(x)
inputs = tf.keras.Input((50, 50, 3))
s1, p1 = level(inputs, 8)
s2, p2 = level(p1, 16)
deep = tf.keras.layers.Conv2D(32, 3, padding="same")(p2)
up = tf.keras.layers.Conv2DTranspose(16, 2, strides=2)(deep)
joined = tf.keras.layers.Concatenate()([up, s2])
"""


@pytest.mark.parametrize(("name", "alike"), [("s2", True), ("kept", False)])
def test_results_that_several_lines_take_in_one_order_are_not_exchanged(name, alike):
    source = LEVELS.replace("s2", name)
    found = blamed(source, ("<module>", "joined ="), dims=(24, 25), slug="concat-pack-mismatch")
    assert found is not None
    assert any(s.new == "p1, s1" for s in found.suspects) != alike
