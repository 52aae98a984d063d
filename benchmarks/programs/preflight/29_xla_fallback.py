"""Word hashes: use XLA where it can compile the step, go on without it where it cannot."""
import logging

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("hashes")
tf.keras.utils.set_random_seed(29)

table = tf.Variable(tf.random.normal((64, 8), stddev=0.1))
weights = tf.Variable(tf.random.normal((8, 1), stddev=0.1))
optimizer = tf.keras.optimizers.SGD(0.1)
optimizer.build([table, weights])


def step(words, target):
    index = tf.strings.to_hash_bucket_fast(words, 64)
    with tf.GradientTape() as tape:
        features = tf.reduce_mean(tf.gather(table, index), axis=1)
        loss = tf.reduce_mean(tf.square(features @ weights - target))
    grads = [tf.convert_to_tensor(g) for g in tape.gradient(loss, [table, weights])]
    optimizer.apply_gradients(zip(grads, [table, weights]))
    return loss


def pick(words, target):
    """The compiled step, or the plain one."""
    fast = tf.function(step, jit_compile=True)
    try:
        fast(words, target)
        return fast
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
        log.info("no XLA for this step (%s), going on without", type(error).__name__)
        return tf.function(step)


rng = np.random.default_rng(29)
lexicon = np.array([f"w{i}" for i in range(300)])
texts = lexicon[rng.integers(0, 300, (512, 6))]
scores = (texts == "w7").sum(1, keepdims=True).astype("float32") + rng.normal(0, 0.1, (512, 1)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((texts, scores)).batch(64)

run = pick(*next(iter(data)))
for epoch in range(3):
    losses = [float(run(words, target)) for words, target in data]
    log.info("epoch %d loss %.4f", epoch, sum(losses) / len(losses))
