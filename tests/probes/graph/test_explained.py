"""What the fixed part of a model can make of its data: moves of another sign or order are found, right ones are not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.graph.explained import explained
from probes.record.first_calls import Batch
from probes.record.samples import Samples
from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow
ROWS, VIEWS, SIDE = 4, 3, 12


def moved(images, moves):
    """Images (n, side, side) moved by (row, column), round the edges."""
    k = np.fft.fftfreq(SIDE)
    phase = moves[:, 0, None, None] * k[None, :, None] + moves[:, 1, None, None] * k[None, None, :]
    return np.fft.ifft2(np.fft.fft2(images) * np.exp(-2j * np.pi * phase)).real


def scene(draw):
    """(views (rows, VIEWS, side, side) of one picture each through a window, their moves)."""
    smooth = np.exp(-20 * np.hypot(*np.meshgrid(*[np.fft.fftfreq(SIDE)] * 2)) ** 2)
    pictures = np.fft.ifft2(np.fft.fft2(draw.normal(size=(ROWS, SIDE, SIDE))) * smooth).real + 0.5
    moves = draw.uniform(-3, 3, (ROWS, VIEWS, 2))
    views = moved(np.repeat(pictures, VIEWS, 0), moves.reshape(-1, 2)).reshape(ROWS, VIEWS, SIDE, SIDE)
    return views.astype("float32"), moves.astype("float32")


def told_of(tmp_path, views, moves, part):
    """The answer for a step whose network gives one picture for each row, and whose `part` makes the views of it."""
    import tensorflow as tf

    weights = tf.Variable(tf.zeros((VIEWS * SIDE * SIDE, SIDE * SIDE)))
    known = tf.constant(np.fft.fftfreq(SIDE).astype("float32"))

    def shifted(images, d):
        phase = d[:, 0, None, None] * known[None, :, None] + d[:, 1, None, None] * known[None, None, :]
        turn = tf.exp(tf.complex(tf.zeros_like(phase), -2 * np.pi * phase))
        return tf.math.real(tf.signal.ifft2d(tf.signal.fft2d(tf.cast(images, tf.complex64)) * turn))

    @tf.function
    def step(batches):
        x, d, y = next(batches)
        picture = tf.reshape(tf.reshape(x, (-1, VIEWS * SIDE * SIDE)) @ weights, (-1, SIDE, SIDE))
        return tf.reduce_mean(tf.square(part(tf, shifted, picture, d) - y))

    data = tf.data.Dataset.from_tensor_slices((views, moves, views)).batch(ROWS)
    concrete = step.get_concrete_function(iter(data))
    folder, _ = capsule_of(tmp_path / "c", concrete, [], values=False)
    shelf = SimpleNamespace(add_sample=lambda name, size, write: write(folder))
    Samples(shelf, lambda: Batch([views, tf.constant(moves), views], ROWS)).traced(folder, concrete)
    return explained(SimpleNamespace(capsule=folder, seconds=120.0))


def right(tf, shifted, picture, d):
    """Each view is the picture, moved."""
    views = shifted(tf.repeat(picture, VIEWS, 0), tf.reshape(d, (-1, 2)))
    return tf.reshape(views, (-1, VIEWS, SIDE, SIDE))


def turned_twice(tf, shifted, picture, d):
    """The same, as a program may write it."""
    back = -d[..., ::-1]
    views = shifted(tf.repeat(picture, VIEWS, 0), -tf.reverse(tf.reshape(back, (-1, 2)), [1]))
    return tf.reshape(views, (-1, VIEWS, SIDE, SIDE))


@pytest.mark.parametrize(
    ("change", "part", "relation"),
    [
        (lambda d: d, right, None),
        (lambda d: d, turned_twice, None),
        (lambda d: -d, right, "negated"),
        (lambda d: d[..., ::-1], right, "swapped"),
        (lambda d: d[:, ::-1], right, "reordered"),
    ],
    ids=["right", "twice", "negated", "swapped", "reordered"],
)
def test_what_explains_the_data(tmp_path, change, part, relation):
    views, moves = scene(np.random.default_rng(5))
    told = told_of(tmp_path, views, np.ascontiguousarray(change(moves)), part)
    assert told["result"] == "asked", told
    assert told["relation"] == relation, told
    if relation is not None:
        assert told["other"] < 0.2 * told["residual"]
        assert told["used"][0][-1][2] == "right"


def test_data_that_no_result_reaches(tmp_path):
    views, moves = scene(np.random.default_rng(5))

    def bounded(tf, shifted, picture, d):
        return right(tf, shifted, tf.sigmoid(picture), d) / 30.0

    told = told_of(tmp_path, views, moves, bounded)
    assert (told["relation"], told["factor"] > 3) == ("out-of-reach", True), told


def test_nothing_is_asked_where_weights_reach_the_data(tmp_path):
    views, moves = scene(np.random.default_rng(5))
    told = told_of(tmp_path, views, moves, lambda tf, shifted, picture, d: picture[:, None])
    assert told["result"] == "none"


@pytest.mark.parametrize(("scale", "change"), [(1.0, None), (1 / SIDE, f"{1 / SIDE:.6g}")])
def test_a_transform_of_another_scale(tmp_path, scale, change):
    views, moves = scene(np.random.default_rng(5))

    def part(tf, shifted, picture, d):
        return right(tf, shifted, tf.sigmoid(picture) * 4.0 - 1.0, d) * scale

    told = told_of(tmp_path, views, moves, part)
    assert (told["relation"], told.get("change")) == ("out-of-reach" if change else None, change), told


def test_an_even_part_is_no_dead_end(tmp_path):
    """At zeros, an intensity has no slope: it would look as if no result explained the data."""
    views, moves = scene(np.random.default_rng(5))

    def part(tf, shifted, picture, d):
        return right(tf, shifted, picture, d) ** 2

    told = told_of(tmp_path, views**2, moves, part)
    assert told["residual"] < 0.5 * told["start"] and told.get("change") is None, told
