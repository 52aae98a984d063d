"""Flow rate of wells, trained by hand under a mirrored strategy on whatever there is."""
import warnings

import keras
import numpy as np
import tensorflow as tf

GLOBAL = 36


def wells(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 5)).astype("float32")
    y = (np.tanh(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3]).astype("float32")
    return x, y


def main():
    keras.utils.set_random_seed(4)
    strategy = tf.distribute.MirroredStrategy()
    if strategy.num_replicas_in_sync < 2:
        warnings.warn("only one replica; the global batch goes to it whole")
    x, y = wells(250, seed=3)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(250, seed=1).batch(GLOBAL).with_options(options)
    dist = strategy.experimental_distribute_dataset(ds)
    with strategy.scope():
        net = keras.Sequential([keras.Input((5,)), keras.layers.Dense(20, "tanh"), keras.layers.Dense(1)])
        w = net.trainable_variables
        slots = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in w]

    def replica(a, b):
        with tf.GradientTape() as tape:
            per = tf.reduce_sum(tf.square(net(a, training=True) - b), axis=1)
            loss = tf.nn.compute_average_loss(per, global_batch_size=GLOBAL)
        grads = tape.gradient(loss, w)
        grads = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, grads)
        for v, s, g in zip(w, slots, grads):
            s.assign(0.9 * s + g)
            v.assign_sub(0.02 * s)
        return loss

    @tf.function
    def step(batch):
        per = strategy.run(replica, args=batch)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per, axis=None)

    history = []
    for _ in range(5):
        losses = [float(step(batch)) for batch in dist]
        history.append(round(float(np.mean(losses)), 4))
    print("replicas", strategy.num_replicas_in_sync, "batches", len(losses), "loss", history)
    assert history[-1] < history[0]


if __name__ == "__main__":
    main()
