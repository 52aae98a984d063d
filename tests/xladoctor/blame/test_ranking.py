"""The order of suspects is a weighted sum of features, and places the finding only on evidence."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines
from xladoctor.blame import ranking
from xladoctor.blame.features import Features

ONE, OTHER, RAISED = ("a.py", 1), ("a.py", 2), ("a.py", 9)


def test_shares_are_one_together_and_the_largest_comes_first():
    found = ranking.ordered({ONE: {"hops": 1.0}, OTHER: {"hops": 1.0, "mends": 1.0}, RAISED: {"raised": 1.0}})
    assert found[0][0] == OTHER and sum(share for _, share in found) == pytest.approx(1.0)
    assert ranking.ordered({}) == []


@pytest.mark.parametrize(
    ("shares", "known", "decides"),
    [
        ((0.6, 0.2), {"mends": 1.0}, True),
        ((0.6, 0.2), {"hops": 1.0, "called": 1.0}, False),
        ((0.3, 0.2), {"mends": 1.0}, False),
        ((0.1, 0.04), {"mends": 1.0}, False),
        ((0.1, 0.03), {"mends": 1.0}, True),
        ((0.07, 0.01), {"mends": 1.0}, False),
    ],
    ids=[
        "stands out",
        "by its place alone",
        "hardly more than the line that raised",
        "one of many",
        "far before the others",
        "one of very many",
    ],
)
def test_what_places_the_finding(shares: tuple[float, float], known: Features, decides: bool):
    found = [(ONE, shares[0]), (RAISED, shares[1])]
    assert ranking.decisive(found, RAISED, {ONE: known, RAISED: {}}) is decides


def test_the_only_line_whose_edit_mends_is_first_in_a_row_of_skips():
    found = blamed(
        """
        from tensorflow import keras
        from tensorflow.keras import layers
        def down(x, widths):
            kept = []
            for width in widths:
                x = layers.Conv2D(width, 3, padding="same")(x)
                kept.append(x)
                x = layers.MaxPooling2D()(x)
            return x, kept
        def up(x, widths, kept):
            for width, skip in zip(widths[::-1], kept):
                x = layers.Conv2DTranspose(width, 2, strides=2)(x)
                x = layers.Concatenate()([x, skip])
            return x
        x, kept = down(keras.Input((32, 32, 1)), [8, 16, 24])
        out = up(x, [8, 16, 24], kept)
        """,
        ("<module>", "out = up"),
        ("up", "x = layers.Concatenate"),
        dims=(8, 32),
    )
    assert lines(found)[0] == "for width, skip in zip(widths[::-1], kept):"
    assert found is not None and found.decisive


def test_the_letters_of_an_equation_and_a_setting_of_the_object_are_edits():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        share, values = tf.zeros((10, 4, 40)), tf.zeros((10, 40, 4, 6))
        merged = tf.einsum("bhr,bhrd->bhd", share, values)
        """,
        ("<module>", "merged ="),
        dims=(4, 40),
    )
    assert any("einsum" in line for line in lines(found)[:2])
    found = blamed(
        """
        import tensorflow as tf
        class Norm:
            def __init__(self, filters):
                self.filters = filters
            def __call__(self, x):
                channels = x.shape[-1]
                kernel = tf.zeros((channels, self.filters))
                vector = tf.zeros((1, channels))
                return tf.matmul(vector, kernel, transpose_b=True)
        Norm(24)(tf.zeros((5, 3)))
        """,
        ("<module>", "Norm(24)(tf"),
        ("Norm.__call__", "return tf.matmul"),
        dims=(3, 24),
    )
    assert "vector = tf.zeros((1, channels))" in lines(found)[:3]
