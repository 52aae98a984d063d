"""Single transferable vote counted with tensors; retraces for each field of candidates."""
import logging

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel(logging.WARNING)


def ballots(rng, voters, candidates):
    appeal = rng.normal(size=candidates)
    noisy = appeal[None, :] + rng.gumbel(size=(voters, candidates))
    return np.argsort(-noisy, axis=1).astype("int32")


@tf.function(reduce_retracing=False)
def tally(prefs, alive):
    tf.print("counting", tf.shape(prefs)[0], "ballots for", tf.shape(alive)[0], "names")
    standing = tf.gather(alive, prefs)
    first = tf.argmax(tf.cast(standing, tf.int32), axis=1)
    choice = tf.gather(prefs, first, batch_dims=1)
    votes = tf.math.unsorted_segment_sum(
        tf.ones_like(choice), choice, num_segments=tf.shape(alive)[0])
    return tf.where(alive, votes, tf.int32.max)


def count(prefs, names):
    alive = np.ones(len(names), bool)
    while alive.sum() > 1:
        votes = tally(tf.constant(prefs), tf.constant(alive)).numpy()
        best = np.where(alive, votes, -1).argmax()
        if votes[best] * 2 > len(prefs):
            return names[best], int(votes[best])
        alive[votes.argmin()] = False
    return names[int(np.flatnonzero(alive)[0])], len(prefs)


def main():
    rng = np.random.default_rng(1870)
    for candidates in (3, 4, 5, 6, 7, 8, 9):
        names = [chr(65 + i) for i in range(candidates)]
        prefs = ballots(rng, 60, candidates)
        winner, votes = count(prefs, names)
        print(f"{candidates} candidates: {winner} with {votes} of {len(prefs)}")
    print("traces of tally:", tally.experimental_get_tracing_count())
    spoiled = np.full((2, 3), 7, "int32")
    try:
        tally(tf.constant(spoiled), tf.constant([True, True, True]))
    except tf.errors.InvalidArgumentError as err:
        print("spoiled papers rejected:", type(err).__name__, "-", err.message.splitlines()[0][-40:])


if __name__ == "__main__":
    main()
