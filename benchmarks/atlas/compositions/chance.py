"""Random numbers; the global seed is set before each call."""

import numpy as np
import tensorflow as tf

from benchmarks.atlas.compositions.base import around, composition


@composition("random.normal")
def random_normal_with_seed(x):
    """`tf.random.normal` with a seed, and the global seed set before each call."""
    return x + tf.random.normal([4], seed=3)


@around("stateless-random", "random_normal_with_seed")
def _(x):
    return x + tf.random.stateless_normal([4], seed=[3, 0])


@composition("random.uniform")
def random_uniform_with_seed(x):
    """`tf.random.uniform` with a seed, and the global seed set before each call."""
    return x + tf.random.uniform([4], seed=3)


@around("stateless-random", "random_uniform_with_seed")
def _(x):
    return x + tf.random.stateless_uniform([4], seed=[3, 0])


@composition("random.truncated_normal")
def random_truncated_normal_with_seed(x):
    """`tf.random.truncated_normal` with a seed, and the global seed set before each call."""
    return x + tf.random.truncated_normal([4], seed=3)


@composition("random.shuffle")
def random_shuffle_with_seed(x):
    """`tf.random.shuffle` with a seed, and the global seed set before each call."""
    return tf.random.shuffle(x, seed=3)


@composition("random.categorical", given=(np.zeros((1, 8), np.float32),))
def random_categorical_with_seed(logits):
    """`tf.random.categorical` with a seed, and the global seed set before each call."""
    return tf.random.categorical(logits, 16, seed=3)


@composition("nn.dropout")
def dropout_with_seed(x):
    """`tf.nn.dropout` with a seed, and the global seed set before each call."""
    return tf.nn.dropout(tf.tile(x, [8]), 0.5, seed=3)


@around("stateless-random", "dropout_with_seed")
def _(x):
    return tf.nn.experimental.stateless_dropout(tf.tile(x, [8]), 0.5, seed=[3, 0])


@composition("random.stateless_normal")
def random_stateless_normal(x):
    """`tf.random.stateless_normal`."""
    return x + tf.random.stateless_normal([4], seed=[3, 5])


@around("name-algorithm", "random_stateless_normal")
def _(x):
    return x + tf.random.stateless_normal([4], seed=[3, 5], alg="philox")


@composition("random.stateless_uniform")
def random_stateless_uniform(x):
    """`tf.random.stateless_uniform`."""
    return x + tf.random.stateless_uniform([4], seed=[3, 5])


@around("name-algorithm", "random_stateless_uniform")
def _(x):
    return x + tf.random.stateless_uniform([4], seed=[3, 5], alg="philox")


@composition("random.stateless_uniform")
def random_stateless_integers(x):
    """`tf.random.stateless_uniform` of integers below a limit."""
    return tf.random.stateless_uniform([8], seed=[3, 5], maxval=10, dtype=tf.int32)


@composition("random.stateless_uniform")
def random_stateless_with_algorithm(x):
    """`tf.random.stateless_uniform` with `alg="philox"`."""
    return x + tf.random.stateless_uniform([4], seed=[3, 5], alg="philox")


@composition("random.experimental.stateless_shuffle")
def random_stateless_shuffle(x):
    """`tf.random.experimental.stateless_shuffle`."""
    return tf.random.experimental.stateless_shuffle(tf.range(16), seed=[3, 5])


@composition("random.Generator", held=(np.array([3, 5, 7], np.int64),))
def random_generator_normal(x, state):
    """`normal` of a `tf.random.Generator`."""
    return x + tf.random.Generator.from_state(state, alg="philox").normal([4])


@composition("random.Generator", held=(np.array([3, 5, 7], np.int64),))
def random_generator_uniform(x, state):
    """`uniform` of a `tf.random.Generator`, twice from one state."""
    generator = tf.random.Generator.from_state(state, alg="philox")
    return x + generator.uniform([4]), generator.uniform([4])


@composition("keras.initializers.GlorotUniform")
def initialiser_glorot_uniform(x):
    """`GlorotUniform(seed=3)` called in the function."""
    return tf.keras.initializers.GlorotUniform(seed=3)([4, 4]) + x


@composition("keras.initializers.RandomNormal")
def initialiser_random_normal(x):
    """`RandomNormal(seed=3)` called in the function."""
    return tf.keras.initializers.RandomNormal(seed=3)([4, 4]) + x


@composition("keras.initializers.Orthogonal")
def initialiser_orthogonal(x):
    """`Orthogonal(seed=3)` called in the function."""
    return tf.keras.initializers.Orthogonal(seed=3)([4, 4]) + x
