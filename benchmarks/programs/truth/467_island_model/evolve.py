import tensorflow as tf

from climate import fitness


def generation(traits, island, seed):
    w = fitness(traits, island)
    parents = tf.random.stateless_categorical(tf.math.log(w + 1e-9)[None], traits.shape[0], seed=seed)[0]
    noise = tf.random.stateless_normal(traits.shape, seed=[seed[1], seed[0]], stddev=0.05)
    return tf.gather(traits, parents) + noise


def migrate(populations, k):
    moved = [p[:k] for p in populations]
    moved = moved[-1:] + moved[:-1]
    return [tf.concat([m, p[k:]], axis=0) for m, p in zip(moved, populations)]
