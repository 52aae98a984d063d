"""Rows that meet other rows: what is wrong is found at its line, and what mixes rows on purpose is not called wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probes.graph.capsules import capsule_of

pytestmark = pytest.mark.slow

N, F, T = 6, 3, 5


def column_against_vector(tf, v, x, y):
    p = x @ v
    return tf.reduce_mean((p - y) ** 2)  # BAD outer


def captured_targets_against_a_column(tf, v, x, y):
    with tf.init_scope():
        targets = tf.range(float(x.shape[0] or N))
    p = x @ v
    return tf.reduce_mean((p - targets) ** 2)  # BAD outer


def masked_by_a_square(tf, v, x, y):
    """Images of as many rows and columns as the batch has, and one mask for all."""
    size = x.shape[0] or N
    with tf.init_scope():
        mask = tf.eye(size)
    p = (x @ v)[:, :, None] * tf.ones((1, size, size))
    return tf.reduce_mean((p - y[:, None, None]) * mask)


def target_with_an_axis(tf, v, x, y):
    p = tf.squeeze(x @ v, -1)
    y = tf.expand_dims(y, -1)
    return tf.reduce_mean(tf.abs(y - p))  # BAD outer


def weights_beside_a_column(tf, v, x, y):
    loss = tf.square(x @ v - y[:, None])
    return tf.reduce_sum(loss * tf.abs(y))  # BAD outer


def shares_of_the_batch_beside_a_column(tf, v, x, y):
    share = 1.0 / tf.square(y)
    share /= tf.reduce_sum(share)
    return tf.reduce_sum(share * tf.square(x @ v - y[:, None]))  # BAD outer


def centred_targets_against_a_column(tf, v, x, y):
    z = (y - tf.reduce_mean(y)) / tf.math.reduce_std(y)
    return tf.reduce_mean(tf.abs(x @ v - tf.tanh(z)))  # BAD outer


def first_row_only(tf, v, x, y):
    p = (x @ v)[:1, 0]
    return tf.reduce_mean((y - p) ** 2)  # BAD lost


def mean_over_the_rows(tf, v, x, y):
    h = x[:, :, None] * v[None, :, :]
    p = tf.reduce_mean(h, axis=0)
    return tf.reduce_mean(tf.square(tf.stack([y, y, y], 1) - tf.transpose(p)))  # BAD lost


def tiled_beside_repeated(tf, v, x, y):
    parts = tf.reshape(x, (-1, 1)) * v[0]
    y = tf.tile(y, [F])
    return tf.reshape(parts[:, 0] * y, (-1, F))  # BAD groups


def products_in_two_orders(tf, v, x, y):
    left = tf.reshape(x, (-1, 1, 1)) * v[0]
    right = tf.reshape(tf.transpose(x), (-1, 1, 1))
    return tf.reshape(left @ right, (-1, F))  # BAD groups


def warped_by_moves_of_other_rows(tf, v, x, y):
    flat = tf.tile(x * v[:, 0], [T, 1])
    places = tf.cast(tf.abs(tf.repeat(x, T, axis=0)) * 7.3, tf.int32) % F
    return tf.reshape(tf.gather(flat, places, batch_dims=1), (-1, T * F))  # BAD groups


def warped_by_its_own_moves(tf, v, x, y):
    flat = tf.repeat(x * v[:, 0], T, axis=0)
    places = tf.cast(tf.abs(tf.repeat(x, T, axis=0)) * 7.3, tf.int32) % F
    return tf.reshape(tf.gather(flat, places, batch_dims=1), (-1, T * F))


def modular_index(tf, v, x, y):
    flat = tf.reshape(x, (-1,)) * v[0]
    index = tf.math.floormod(tf.range(tf.shape(flat)[0]), tf.shape(x)[0])
    chosen = tf.gather(y, index)
    return tf.reshape(flat - chosen, (-1, F))  # BAD groups


def reshaped_where_transposed_was_meant(tf, v, x, y):
    z = tf.stack([x @ v] * T, axis=1)
    z = tf.reshape(z, (T, tf.shape(x)[0], 1))  # BAD torn
    return tf.reduce_mean(z, axis=0)


def coordinates_of_points(tf, v, x, y):
    points = tf.stack([x * v[:, 0], x + 1], axis=1)
    pairs = tf.reshape(points, (-1, 2))  # BAD exchanged
    return tf.reduce_mean(pairs[:, 0] - pairs[:, 1]) + tf.reduce_mean(y)


def heads_joined_without_a_transpose(tf, v, x, y):
    heads = tf.reshape(tf.transpose(tf.stack([x * v[:, 0]] * 8, 1), [0, 2, 1]), (-1, F, 4, 2))
    heads = tf.transpose(heads, [0, 2, 1, 3]) * 2.0
    joined = tf.reshape(heads, (-1, F, 8))  # BAD exchanged
    return tf.reduce_sum(joined, [1, 2]) - y


def heads_joined(tf, v, x, y):
    heads = tf.transpose(tf.stack([tf.stack([x * v[:, 0]] * 2, 2)] * 4, 1) * 2.0, [0, 2, 1, 3])
    return tf.reduce_sum(tf.reshape(heads, (-1, F, 8)), [1, 2]) - y


def over_the_batch(tf, v, x, y):
    w = tf.nn.softmax(x * v[:, 0], axis=0)  # BAD normalised
    return tf.reduce_sum(w * x, 1) - y


def last_of_the_first_row(tf, v, x, y):
    last = tf.cast(tf.clip_by_value(y, 1, 2), tf.int32) - 1
    return tf.gather(tf.reshape(x * v[:, 0], (-1,)), last)  # BAD gathered


def drawn_for_each_row(tf, v, x, y):
    mix = tf.random.uniform((tf.shape(x)[0], 1))
    return tf.reduce_mean(mix * tf.squeeze(x @ v, 1))  # BAD outer


def pooled_by_the_remainder(tf, v, x, y):
    rows = tf.shape(x)[0]
    owner = tf.range(rows * F) % rows
    return tf.math.unsorted_segment_sum(tf.reshape(x * v[:, 0], (-1,)), owner, rows)  # BAD segments


def residual_of_an_equation(tf, v, x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        u = tf.tanh(x @ v)
    slope = tape.gradient(u, x)[:, :1]
    return tf.reduce_mean((slope - y) ** 2)  # BAD outer


def candidates_beside_users(tf, v, x, y):
    users = tf.repeat(x * v[:, 0], 4, axis=0)
    items = tf.tile(y[:, None], [4, 1])
    return tf.reduce_sum(tf.concat([users, items], -1), -1)  # BAD groups


def softmax_by_hand(tf, v, x, y):
    e = tf.exp(x * v[:, 0])
    w = e / tf.reduce_sum(e, axis=0, keepdims=True)  # BAD normalised
    return tf.reduce_sum(w * x, 1) - y


def softmax_by_hand_before_a_layer(tf, v, x, y):
    e = tf.exp(x)
    attention = e / tf.reduce_sum(e, axis=0)  # BAD normalised
    return tf.reduce_mean(tf.square(((attention * x) @ v)[:, 0] - y))


def normalised_over_the_batch(tf, v, x, y):
    a = tf.math.l2_normalize(x * v[:, 0], axis=0)  # BAD normalised
    return tf.reduce_mean(tf.reduce_sum(a * x, 1) - y)


def cosine_as_keras_writes_it(tf, v, x, y):
    a = x * v[:, 0]
    root = tf.math.rsqrt(tf.reduce_sum(tf.square(a), 0, keepdims=True))
    b = a * tf.minimum(root, 1e6)  # BAD normalised
    return -tf.reduce_sum(b * x, 0) + tf.reduce_mean(y)


def plain(tf, v, x, y):
    return tf.reduce_mean((tf.squeeze(x @ v, -1) - y) ** 2)


def similarity(tf, v, x, y):
    z = tf.math.l2_normalize(x * v[:, 0], 1)
    s = z @ tf.transpose(z)
    return tf.nn.softmax(s) @ z


def distances(tf, v, x, y):
    q = tf.reduce_sum(x * x, 1, keepdims=True)
    return tf.reduce_mean(tf.nn.relu(q - 2 * x @ tf.transpose(x) + tf.reduce_sum(x * x, 1)))


def same_labels(tf, v, x, y):
    column = tf.reshape(y, (-1, 1))
    mask = tf.cast(tf.equal(column, y), tf.float32)
    p = x @ v
    return tf.reduce_mean(mask * tf.abs(p - tf.transpose(p)))


def risk_sets(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    later = tf.cast(y[None, :] >= y[:, None], tf.float32)
    return -tf.reduce_mean(p - tf.math.log(tf.reduce_sum(tf.exp(p) * later, 1)))


def pairs_on_purpose(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    return tf.reduce_mean(tf.exp(-((p[:, None] - y) ** 2)))


def matrix_of_pairs(tf, v, x, y):
    p = tf.reduce_sum(x, 1, keepdims=True)
    return p - y


def batch_statistics(tf, v, x, y):
    h = x * v[:, 0]
    h = (h - tf.reduce_mean(h, 0)) / (tf.math.reduce_std(h, 0) + 1e-3)
    return tf.reduce_mean(h, 1) - y


def cumulated_and_sorted(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    return tf.sort(p) - tf.sort(y), tf.cumsum(p), p / tf.reduce_max(p)


def centred(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    a, b = p - tf.reduce_mean(p), y - tf.reduce_mean(y)
    return tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))


def mixed_up(tf, v, x, y):
    order = tf.random.shuffle(tf.range(tf.shape(x)[0]))
    x, y = 0.3 * x + 0.7 * tf.gather(x, order), 0.3 * y + 0.7 * tf.gather(y, order)
    return tf.reduce_mean((tf.squeeze(x @ v, 1) - y) ** 2)


def rolled_negatives(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    return tf.reduce_mean(tf.nn.relu(1.0 + p * tf.roll(y, 1, 0) - p * y))


def steps_in_time(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    return tf.reduce_mean((p[:-1] - y[1:]) ** 2)


def tiled_alike(tf, v, x, y):
    return tf.reduce_mean((tf.tile(x, [4, 1]) @ v - tf.tile(y, [4])[:, None]) ** 2)


def products_in_one_order(tf, v, x, y):
    left = tf.reshape(tf.transpose(x), (-1, 1, 1)) * v[0]
    right = tf.reshape(tf.transpose(x * 2.0), (-1, 1, 1))
    return tf.reduce_sum(left @ right)


def transposed_groups(tf, v, x, y):
    flat = tf.reshape(tf.transpose(x), (-1,)) * v[0]
    return tf.transpose(tf.reshape(flat * tf.tile(y, [F]), (F, -1)))


def kernel_of_scaled_rows(tf, v, x, y):
    z = (x @ v - tf.reduce_mean(x @ v)) / tf.math.reduce_std(x @ v)
    near = tf.exp(-tf.square(z - tf.transpose(z)))
    return tf.reduce_mean(near @ (y / tf.reduce_sum(y))[:, None] - y[:, None])


def shares_beside_rows(tf, v, x, y):
    share = y / tf.reduce_sum(y)
    return tf.reduce_sum(share * tf.square(x @ v - y[:, None])[:, 0])


def every_pair(tf, v, x, y):
    n = tf.shape(x)[0]
    p = tf.repeat(tf.squeeze(x @ v, 1), n)
    return tf.reduce_mean(tf.nn.sigmoid(p - tf.tile(y, [n])))


def ghost_batches(tf, v, x, y):
    z = tf.reshape(x, (2, -1, F))
    z = z - tf.reduce_mean(z, 1, keepdims=True)
    return tf.reshape(z, (-1, F)) @ v - y[:, None]


def with_dropout(tf, v, x, y):
    h = tf.nn.dropout(x, 0.5) @ v
    return tf.reduce_mean((h - y[:, None]) ** 2)


def attention_over_a_bag(tf, v, x, y):
    w = tf.nn.softmax(x @ v, axis=0)
    return tf.reduce_sum(w * x, 0)


def last_of_each_row(tf, v, x, y):
    last = tf.cast(tf.clip_by_value(y, 1, 2), tf.int32) - 1
    return tf.gather(tf.reshape(x * v[:, 0], (-1,)), last + F * tf.range(tf.shape(x)[0]))


def pooled_by_row(tf, v, x, y):
    rows = tf.shape(x)[0]
    owner = tf.range(rows * F) // F
    return tf.math.unsorted_segment_sum(tf.reshape(x * v[:, 0], (-1,)), owner, rows) - y


def centres(tf, v, x, y):
    return tf.reduce_mean(tf.exp(-((x[:, :1] - tf.squeeze(v, 1)) ** 2)), 1) - y


def contrasted(tf, v, x, y):
    a, b = x * v[:, 0], tf.math.l2_normalize(x, 1)
    logits = a @ tf.transpose(b)
    labels = tf.range(tf.shape(x)[0])
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def hardest_negative(tf, v, x, y):
    z = x * v[:, 0]
    q = tf.reduce_sum(z * z, 1)
    d = tf.nn.relu(q[:, None] - 2 * z @ tf.transpose(z) + q[None, :])
    same = tf.equal(tf.round(y)[:, None], tf.round(y)[None, :])
    return tf.reduce_mean(tf.reduce_max(tf.where(same, d, 0.0), 1) - tf.reduce_min(tf.where(same, 1e3, d), 1))


def ranked(tf, v, x, y):
    p = x @ v
    wanted = tf.sign(y[:, None] - y[None, :])
    return tf.reduce_mean(tf.nn.relu(1.0 - wanted * (p - tf.transpose(p))))


def quantiles(tf, v, x, y):
    q = x * v[:, 0]
    e = y[:, None] - q
    return tf.reduce_mean(tf.maximum(0.1 * e, -0.9 * e))


def an_ensemble(tf, v, x, y):
    p = tf.stack([tf.squeeze(x @ v, 1), tf.squeeze(x @ (2 * v), 1)])
    return tf.reduce_mean((p - y) ** 2)


def doubly_normalised(tf, v, x, y):
    q = tf.exp(x * v[:, 0])
    for _ in range(2):
        q = q / tf.reduce_sum(q, 0, keepdims=True)
        q = q / tf.reduce_sum(q, 1, keepdims=True)
    return q


def heads_in_the_batch(tf, v, x, y):
    z = tf.concat(tf.split(x * v[:, 0], F, axis=1), axis=0)
    return tf.reduce_sum(z * tf.tile(y, [F])[:, None])


def patches(tf, v, x, y):
    z = tf.reshape(tf.stack([x, x, 2 * x, x], 1), (-1, 2, 2, F))
    z = tf.reshape(tf.transpose(z, (0, 2, 1, 3)), (-1, 2, F)) * v[:, 0]
    return tf.reduce_mean(tf.reshape(z, (-1, 4, F)), (1, 2)) - y


def time_major(tf, v, x, y):
    z = tf.transpose(tf.stack([x @ v, x @ v], 1), (1, 0, 2))
    mask = tf.stack([tf.ones_like(y), y])
    return tf.reduce_sum(tf.squeeze(z, -1) * mask, 0)


def advantages(tf, v, x, y):
    values = tf.squeeze(x @ v, 1)
    a = y - tf.stop_gradient(values)
    a = (a - tf.reduce_mean(a)) / (tf.math.reduce_std(a) + 1e-6)
    return -tf.reduce_mean(a * tf.math.log(tf.nn.sigmoid(values))) + tf.reduce_mean(tf.square(y - values))


def reparametrised(tf, v, x, y):
    m = x * v[:, 0]
    z = m + tf.exp(0.1 * m) * tf.random.normal(tf.shape(m))
    return tf.reduce_mean(tf.reduce_sum((x - z) ** 2, 1)) + tf.reduce_mean(m**2)


def several_samples(tf, v, x, y):
    z = tf.random.normal((4, tf.shape(x)[0], F)) + x * v[:, 0]
    return tf.reduce_mean(tf.reduce_logsumexp(-tf.reduce_sum((x - z) ** 2, -1), 0) + y)


def weights_of_rows(tf, v, x, y):
    e = tf.square(tf.squeeze(x @ v, 1) - y)
    return tf.reduce_sum(e * y) / tf.reduce_sum(y)


def scan_over_time(tf, v, x, y):
    z = tf.transpose(tf.stack([x, 2 * x, 3 * x], 1), (1, 0, 2))
    h = tf.scan(lambda a, b: tf.tanh(0.5 * a + b * v[:, 0]), z, tf.zeros_like(x))
    return tf.reduce_sum(h[-1], 1) - y


def rare_rows_of_a_table(tf, v, x, y):
    with tf.GradientTape() as tape:
        p = tf.gather(v, tf.cast(y, tf.int32) % F)
        loss = tf.reduce_mean((p - y[:, None]) ** 2)
    g = tape.gradient(loss, v)
    where = tf.range(tf.shape(g.values)[0])
    v.assign_sub(0.0 * tf.math.unsorted_segment_sum(g.values, where[::-1], tf.shape(where)[0])[:F])
    return loss


def candidates_of_each_row(tf, v, x, y):
    users = tf.repeat(x * v[:, 0], 4, axis=0)
    return tf.concat([users, tf.repeat(y[:, None], 4, axis=0), tf.reshape(tf.tile(x[:, :1], [1, 4]), (-1, 1))], -1)


def rolled_groups(tf, v, x, y):
    p = tf.squeeze(x @ v, 1)
    others = [tf.roll(y, k, 0) for k in (1, 2, 3)]
    return tf.tile(p, [3]) * tf.concat(others, 0), tf.repeat(p, 3) - tf.reshape(tf.stack(others, 1), (-1,))


def normalised_by_row(tf, v, x, y):
    e = tf.exp(x * v[:, 0])
    w = e / tf.reduce_sum(e, axis=1, keepdims=True)
    return tf.reduce_sum(w * tf.math.l2_normalize(x, 1), 1) - y / tf.reduce_sum(y)


def columns_that_are_compared(tf, v, x, y):
    c = tf.math.l2_normalize(tf.nn.softmax(x * v[:, 0]), axis=0)
    return tf.reduce_mean(tf.transpose(c) @ c) + tf.reduce_mean(y)


def edges(tf, v, x, y):
    i = tf.cast(tf.abs(y) * 0, tf.int32) + tf.range(tf.shape(y)[0] - 1, -1, -1)
    return tf.reduce_sum(tf.gather(x, i) * x)


def coordinates_at_the_end(tf, v, x, y):
    points = tf.reshape(tf.stack([x * v[:, 0], x + 1], axis=2), (-1, 2))
    flat = tf.reshape(tf.transpose(tf.stack([x, x + 1], axis=1), (0, 2, 1)), (-1, 2))
    square = tf.reshape(tf.stack([x, x + 1, x], axis=1), (-1, 3))
    return tf.reduce_mean(points - flat) + tf.reduce_mean(square) + tf.reduce_mean(y)


BAD = [
    coordinates_of_points,
    column_against_vector,
    target_with_an_axis,
    weights_beside_a_column,
    shares_of_the_batch_beside_a_column,
    centred_targets_against_a_column,
    first_row_only,
    mean_over_the_rows,
    tiled_beside_repeated,
    products_in_two_orders,
    modular_index,
    warped_by_moves_of_other_rows,
    reshaped_where_transposed_was_meant,
    over_the_batch,
    last_of_the_first_row,
    drawn_for_each_row,
    pooled_by_the_remainder,
    residual_of_an_equation,
    candidates_beside_users,
    softmax_by_hand,
    softmax_by_hand_before_a_layer,
    normalised_over_the_batch,
    heads_joined_without_a_transpose,
    cosine_as_keras_writes_it,
]
GOOD = [
    kernel_of_scaled_rows,
    shares_beside_rows,
    coordinates_at_the_end,
    plain,
    similarity,
    distances,
    same_labels,
    risk_sets,
    pairs_on_purpose,
    masked_by_a_square,
    matrix_of_pairs,
    batch_statistics,
    cumulated_and_sorted,
    centred,
    mixed_up,
    rolled_negatives,
    steps_in_time,
    tiled_alike,
    products_in_one_order,
    warped_by_its_own_moves,
    transposed_groups,
    every_pair,
    ghost_batches,
    with_dropout,
    attention_over_a_bag,
    last_of_each_row,
    pooled_by_row,
    centres,
    contrasted,
    hardest_negative,
    ranked,
    quantiles,
    an_ensemble,
    doubly_normalised,
    heads_in_the_batch,
    patches,
    time_major,
    advantages,
    reparametrised,
    several_samples,
    weights_of_rows,
    scan_over_time,
    rare_rows_of_a_table,
    candidates_of_each_row,
    rolled_groups,
    normalised_by_row,
    columns_that_are_compared,
    edges,
    heads_joined,
]


@pytest.mark.parametrize("fixed", [None, N, 16], ids=["open", "fixed", "large"])
@pytest.mark.parametrize("function", BAD, ids=lambda f: f.__name__)
def test_what_is_wrong_is_found_at_its_line(tmp_path, function, fixed):
    told = _asked(tmp_path, function, fixed)
    line, kind = _marked(function)
    assert [(f.kind, f.sources[-1][1]) for f in told.found] == [(kind, line)], told


@pytest.mark.parametrize("fixed", [N, 16], ids=["fixed", "large"])
def test_targets_that_the_function_captured_are_rows_too(tmp_path, fixed):
    told = _asked(tmp_path, captured_targets_against_a_column, fixed)
    assert [f.kind for f in told.found] == ["outer"], told


@pytest.mark.parametrize("fixed", [None, N, 16], ids=["open", "fixed", "large"])
@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_what_mixes_rows_on_purpose_is_not_called_wrong(tmp_path, function, fixed):
    told = _asked(tmp_path, function, fixed)
    assert (told.result, told.found) == ("asked", ()), told


def attention_over_one(tf, v, x, y):
    z = tf.stack([x, 2 * x, y[:, None] * x], 1)
    a = tf.nn.softmax(tf.tanh(z @ v) + 0.5)  # BAD alone
    return tf.reduce_sum(a * z, 1)


def attention_by_hand_over_one(tf, v, x, y):
    z = tf.stack([x, 2 * x, y[:, None] * x], 1)
    e = tf.exp(tf.einsum("btf,fk->btk", z, v))
    return tf.reduce_sum(e / tf.reduce_sum(e, axis=-1, keepdims=True) * z, 1)  # BAD alone


def attention_over_the_items(tf, v, x, y):
    z = tf.stack([x, 2 * x, y[:, None] * x], 1)
    e = tf.exp(z @ v)
    a = tf.nn.softmax(z @ v, axis=1) + e / tf.reduce_sum(e, axis=1, keepdims=True)
    return tf.reduce_sum(a * tf.nn.softmax(tf.squeeze(z @ v, -1))[..., None] * z, 1)


def attention_to_one_token(tf, v, x, y):
    z, token = tf.stack([x, 2 * x, 3 * x], 1), (x * v[:, 0])[:, None]
    return tf.reduce_sum(tf.nn.softmax(z @ tf.transpose(token, (0, 2, 1))) @ token, 1) - y[:, None]


def a_mixture_of_one(tf, v, x, y):
    return tf.nn.softmax(x @ v) * x + y[:, None]


def gates(tf, v, x, y):
    z = tf.stack([x, 2 * x, y[:, None] * x], 1)
    return tf.reduce_sum(tf.sigmoid(z @ v) * z, 1)


@pytest.mark.parametrize("function", [attention_over_one, attention_by_hand_over_one], ids=lambda f: f.__name__)
def test_a_softmax_over_an_axis_of_one_is_found(tmp_path, function):
    told = _asked(tmp_path, function, None)
    assert [(f.sources[-1][1], f.kind) for f in told.found] == [_marked(function)], told


@pytest.mark.parametrize(
    "function", [attention_over_the_items, attention_to_one_token, a_mixture_of_one, gates], ids=lambda f: f.__name__
)
def test_what_is_normalised_over_several_is_not(tmp_path, function):
    assert _asked(tmp_path, function, None).found == ()


def _marked(function):
    import inspect

    lines, start = inspect.getsourcelines(function)
    return next((start + n, line.split("# BAD ")[1].strip()) for n, line in enumerate(lines) if "# BAD" in line)


def _asked(folder, function, fixed):
    import tensorflow as tf

    from probes.graph.pairing import pairing

    variable = tf.Variable(tf.random.stateless_uniform((F, 1), (1, 2)))
    concrete = tf.function(lambda x, y: function(tf, variable, x, y)).get_concrete_function(
        tf.TensorSpec([fixed, F]), tf.TensorSpec([fixed])
    )
    capsule_of(folder, concrete, [], values=False)
    return pairing(folder, sizes=(N,))


def summed_in_a_branch(tf, v, x, y):
    h = x[:, :, None] * v[None, :, :]

    def few():
        return h[:, :, 0]

    def many():
        doubled = 2.0 * h
        return tf.reduce_sum(doubled, axis=[0, 2])[None]  # MADE

    p = tf.cond(tf.shape(x)[0] > 1, many, few)
    return p / (1.0 + tf.abs(y[:, None] + x))


@pytest.mark.parametrize("fixed", [None, N], ids=["open", "fixed"])
def test_the_line_in_the_branch_that_was_taken_is_named(tmp_path, fixed):
    found = _asked(tmp_path, summed_in_a_branch, fixed).found
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    marked = next(n for n, text in enumerate(lines, 1) if text.endswith("  # MADE"))
    assert [(f.kind, f.made.sources[-1][1]) for f in found] == [("lost", marked)]
