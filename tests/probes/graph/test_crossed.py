"""Rows that meet others by an einsum's own letter, by a roll over the end of a row, or by a second draw."""

from __future__ import annotations

import numpy as np
import pytest

from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow

WEIGHTS = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)


def own_letter(tf, x, y):
    return tf.einsum("bd,cd->b", x @ WEIGHTS, y @ WEIGHTS)


def same_letter(tf, x, y):
    return tf.einsum("bd,bd->b", x @ WEIGHTS, y @ WEIGHTS)


def all_pairs(tf, x, y):
    return tf.einsum("bd,cd->bc", x @ WEIGHTS, y @ WEIGHTS)


def to_itself(tf, x, y):
    z = x @ WEIGHTS
    return tf.einsum("bd,cd->b", z, z) + y[:, 0]


def over_the_end(tf, x, y):
    value = tf.reshape(x * 2.0, (-1,))
    return tf.reshape(y, (-1,)) + 0.9 * tf.stop_gradient(tf.roll(value, -1, axis=0)) - value


def masked(tf, x, y):
    value = tf.reshape(x * 2.0, (-1,))
    return tf.roll(value, -1, axis=0) * tf.reshape(y, (-1,)) - value


def within_the_row(tf, x, y):
    return tf.reshape(y + tf.roll(x, -1, axis=1), (-1,))


def to_other_rows(tf, x, y):
    return x - tf.roll(y, 1, axis=0)


def mixed_up(tf, x, y, draws=2):
    weight = tf.random.uniform((tf.shape(x)[0], 1))
    orders = [tf.argsort(tf.random.uniform((tf.shape(x)[0],))) for _ in range(draws)]
    one = weight * x + (1.0 - weight) * tf.gather(x, orders[0])
    other = weight * y + (1.0 - weight) * tf.gather(y, orders[-1])
    return tf.reduce_sum((one - other) ** 2, axis=1)


def mixed_once(tf, x, y):
    return mixed_up(tf, x, y, draws=1)


def two_weights(tf, x, y):
    return mixed_once(tf, x, x) + mixed_once(tf, y, y)


def shifted_everywhere(tf, x, y):
    f = tf.signal.fft2d(tf.cast(tf.reshape(x, (-1, 1, 2, 2)), tf.complex64)) / 2.0
    return tf.abs(tf.signal.fftshift(f)) - tf.reshape(y, (-1, 1, 2, 2))


def shifted_beside(tf, x, y):
    x, y = (tf.reshape(t, (-1, 2, 2, 1)) for t in (x, y))
    f = tf.signal.fft(tf.cast(x, tf.complex64))
    return tf.signal.fftshift(tf.abs(f) ** 2, axes=(1, 2)) - y


def shifted_within(tf, x, y):
    f = tf.signal.fft2d(tf.cast(tf.reshape(x, (-1, 1, 2, 2)), tf.complex64)) / 2.0
    return tf.abs(tf.signal.fftshift(f, axes=(2, 3))) - tf.reshape(y, (-1, 1, 2, 2))


def shifted_before(tf, x, y):
    centred = tf.signal.ifftshift(tf.cast(tf.reshape(x * y, (-1, 2, 2)), tf.complex64), axes=(-2, -1))
    return tf.abs(tf.signal.fft2d(centred))


def bytes_of_signed(tf, x, y):
    return tf.cast(tf.round((x - 2.0) * y * 9.0), tf.uint8)


def bytes_of_clipped(tf, x, y):
    return tf.cast(tf.clip_by_value((x - 2.0) * y * 9.0, 0.0, 255.0), tf.uint8)


def bytes_of_whole_numbers(tf, x, y):
    return tf.cast(tf.cast((x - 2.0) * y * 9.0, tf.int32) % 256, tf.uint8)


def half_a_turn_of_a_picture(tf, x, y):
    picture = tf.transpose(tf.abs(tf.signal.fft2d(tf.cast(tf.reshape(x, (-1, 2, 2)), tf.complex64))), (1, 0, 2))
    return tf.roll(picture, 1, axis=0) + y[:, 0][None, :, None]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (shifted_everywhere, "off-transform"),
        (shifted_beside, "off-transform"),
        (shifted_within, None),
        (shifted_before, None),
        (half_a_turn_of_a_picture, None),
        (bytes_of_signed, "wrapped"),
        (bytes_of_clipped, None),
        (bytes_of_whole_numbers, None),
        (own_letter, "contracted"),
        (same_letter, None),
        (all_pairs, None),
        (to_itself, None),
        (over_the_end, "rolled"),
        (masked, None),
        (within_the_row, None),
        (to_other_rows, None),
        (mixed_up, "mixed"),
        (mixed_once, None),
        (two_weights, None),
    ],
)
def test_what_crosses_rows(tmp_path, function, kind):
    import tensorflow as tf

    from probes.graph.pairing import pairing

    def of_tensors(x, y):
        return function(tf, x, y)

    spec = tf.TensorSpec([None, 4], tf.float32)
    x = np.ones((8, 4), "float32")
    capsule, _ = capsule_of(tmp_path / "capsule", tf.function(of_tensors).get_concrete_function(spec, spec), [x, x])
    told = pairing(capsule)
    assert (told.result, [f.kind for f in told.found]) == ("asked", [kind] if kind else [])
    for found in told.found:
        file, line, _ = found.sources[-1]
        start = function.__code__.co_firstlineno
        assert (file, start < line <= start + 6) == (__file__, True)


def test_saturated_units_do_not_hide_the_order_of_groups(tmp_path):
    import tensorflow as tf

    from probes.graph.pairing import pairing

    weights = tf.Variable(np.ones((4, 40), "float32")), tf.Variable(np.ones((40, 4), "float32"))

    @tf.function
    def step(x):
        many = tf.repeat(x, 3, axis=0)
        made = tf.sigmoid(tf.nn.relu(many @ weights[0]) @ weights[1])
        return tf.reduce_sum(tf.tile(x, (3, 1)) - made, axis=1)

    x = np.ones((8, 4), "float32")
    concrete = step.get_concrete_function(tf.TensorSpec([None, 4], tf.float32))
    capsule, _ = capsule_of(tmp_path / "capsule", concrete, [x], values=False)
    assert [f.kind for f in pairing(capsule).found] == ["groups"]
