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


def scene(draw, whole=False):
    """(views (rows, VIEWS, side, side) of one picture each through a window, their moves)."""
    smooth = np.exp(-20 * np.hypot(*np.meshgrid(*[np.fft.fftfreq(SIDE)] * 2)) ** 2)
    pictures = np.fft.ifft2(np.fft.fft2(draw.normal(size=(ROWS, SIDE, SIDE))) * smooth).real + 0.5
    moves = draw.uniform(-3, 3, (ROWS, VIEWS, 2))
    moves = np.rint(moves) if whole else moves
    views = moved(np.repeat(pictures, VIEWS, 0), moves.reshape(-1, 2)).reshape(ROWS, VIEWS, SIDE, SIDE)
    return views.astype("float32"), moves.astype("float32")


def squared(tf, found, y):
    return tf.square(found - y)


def counted(tf, found, y):
    """Of Poisson's distribution, as photons have it."""
    return found - y * tf.math.log(found + 1e-6)


def told_of(tmp_path, views, moves, part, loss=squared, pictures=1):
    """The answer for a step whose network gives pictures for each row, and whose `part` makes the views of them."""
    import tensorflow as tf

    weights = tf.Variable(tf.zeros((VIEWS * SIDE * SIDE, pictures * SIDE * SIDE)))
    known = tf.constant(np.fft.fftfreq(SIDE).astype("float32"))

    def shifted(images, d):
        phase = d[:, 0, None, None] * known[None, :, None] + d[:, 1, None, None] * known[None, None, :]
        turn = tf.exp(tf.complex(tf.zeros_like(phase), -2 * np.pi * phase))
        return tf.math.real(tf.signal.ifft2d(tf.signal.fft2d(tf.cast(images, tf.complex64)) * turn))

    @tf.function
    def step(batches):
        x, d, y = next(batches)
        picture = tf.reshape(tf.reshape(x, (-1, VIEWS * SIDE * SIDE)) @ weights, (-1, SIDE, SIDE))
        return tf.reduce_mean(loss(tf, part(tf, shifted, picture, tf.cast(d, tf.float32)), y))

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


def gathered(tf, shifted, views, d):
    """One picture for each row: the mean of its views, each moved back."""
    moved = shifted(views, -tf.reshape(d, (-1, 2)))
    return tf.reduce_mean(tf.reshape(moved, (-1, VIEWS, SIDE, SIDE)), 1)


def there_and_back(tf, shifted, views, d):
    """Views that are put together and taken apart again."""
    return right(tf, shifted, gathered(tf, shifted, views, d), d)


def there_and_there(tf, shifted, views, d):
    """The same, with the wrong sign when they are taken apart."""
    return right(tf, shifted, gathered(tf, shifted, views, d), -d)


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


def test_moves_in_whole_pixels_and_a_likelihood(tmp_path):
    draw = np.random.default_rng(5)
    views, moves = scene(draw, whole=True)
    views = views - views.min() + 0.1
    told = told_of(tmp_path, views, -moves.astype("int32"), lambda *a: right(*a) ** 2, counted)
    assert told["relation"] == "negated" and told["other"] < 0.2 * told["residual"], told


@pytest.mark.parametrize(
    ("part", "sign", "relation", "used"),
    [
        (there_and_back, 1, None, ()),
        (there_and_there, 1, "negated", ("there_and_there",)),
        (there_and_back, -1, "negated", ("gathered", "right")),
    ],
    ids=["right", "one use", "all uses"],
)
def test_uses_that_agree_are_not_turned_alone(tmp_path, part, sign, relation, used):
    views, moves = scene(np.random.default_rng(5))
    told = told_of(tmp_path, views, sign * moves, part, pictures=VIEWS)
    assert told["relation"] == relation, told
    assert tuple(frames[-1][2] for frames in told.get("used") or ()) == used


def test_moves_of_which_each_row_has_another_order(tmp_path):
    views, moves = scene(np.random.default_rng(5))
    mixed = np.stack([m[[(n + k) % VIEWS for k in range(VIEWS)]] for n, m in enumerate(moves)])
    told = told_of(tmp_path, views, mixed, right)
    assert (told["relation"], told["other"] < 0.2 * told["residual"]) == ("reordered", True), told


def test_pictures_by_another_diagonal(tmp_path):
    views, moves = scene(np.random.default_rng(5))
    still = np.abs(moves).mean(-1, keepdims=True) * [1.0, 1.0]  # along the diagonal, so that moves say nothing
    views = moved(np.repeat(views[:, 0], VIEWS, 0), still.reshape(-1, 2)).reshape(views.shape).astype("float32")
    fixed = np.linspace(0.2, 1.0, SIDE)[:, None] * np.ones((1, SIDE))

    def part(tf, shifted, picture, d):
        return right(tf, shifted, picture, d) * fixed.astype("float32")

    told = told_of(tmp_path, np.swapaxes(views * fixed.astype("float32"), 2, 3).copy(), still.astype("float32"), part)
    assert (told["relation"], told.get("change")) == ("data", "transposed"), told


def test_a_loss_that_squares_and_scales_in_two_orders(tmp_path):
    views, moves = scene(np.random.default_rng(5))

    def loss(tf, found, y):
        seen = tf.square(y * 5.0)
        wanted = tf.square(found) * 5.0
        return wanted - seen * tf.math.log(wanted + 1e-3)

    def part(tf, shifted, picture, d):
        return right(tf, shifted, tf.sigmoid(picture) * 2.0 - 0.5, d)

    told = told_of(tmp_path, views, moves, part, loss)
    assert (told["relation"], told.get("change")) == ("out-of-reach", "unlike"), told
    assert {frames[-1][2] for frames in told["used"]} == {"loss"}


@pytest.mark.parametrize(("weights", "wanted"), [(1.0, "weighed"), (0.05, None)], ids=["by their number", "by weights"])
def test_a_mean_that_is_not_divided_by_its_weights(tmp_path, weights, wanted):
    views, moves = scene(np.random.default_rng(5), whole=True)

    def weighed(tf, shifted, seen, d):
        back = -tf.reshape(d, (-1, 2))
        total = shifted(tf.sigmoid(seen) * 2.0 * 0.05, back)
        norm = shifted(tf.ones_like(seen) * weights, back)
        total, norm = (tf.reduce_sum(tf.reshape(t, (-1, VIEWS, SIDE, SIDE)), 1) for t in (total, norm))
        return right(tf, shifted, total / (norm + 1e-6), d)

    told = told_of(tmp_path, views, moves, weighed, pictures=VIEWS)
    assert (told.get("divisor") or [[None] * 3])[-1][2] == wanted, told
    assert (told["relation"] == "out-of-reach") == (wanted is not None), told


def ambiguous(tf, shifted, views, d, sign=1):
    """Views that are put together and taken apart again, each times a free number: it explains data of any moves."""
    return right(tf, shifted, gathered(tf, shifted, views, d), sign * d)


@pytest.mark.parametrize("sign", [1, -1])
def test_places_that_disagree_are_named_where_the_data_fit_both(tmp_path, sign):
    views, moves = scene(np.random.default_rng(5))

    def part(tf, shifted, seen, d):
        return ambiguous(tf, shifted, seen, d, sign)

    told = told_of(tmp_path, np.ones_like(views), moves, part, pictures=VIEWS)  # flat pictures stay so under all moves
    assert told["relation"] == ("negated" if sign < 0 else None), told
    if sign < 0:
        assert told["trip"][0] > 0.3 and told["trip"][1] < 0.05
        assert [frames[-1][2] for frames in told["used"]] == ["ambiguous"]


def test_moves_of_single_pictures_are_no_places_that_disagree(tmp_path):
    views, moves = scene(np.random.default_rng(5))

    def twice(tf, shifted, seen, d):
        once = shifted(seen, tf.reshape(d, (-1, 2)))
        return tf.reshape(shifted(once, tf.reshape(d, (-1, 2))), (-1, VIEWS, SIDE, SIDE))

    assert told_of(tmp_path, np.ones_like(views), moves, twice, pictures=VIEWS)["relation"] is None
