"""Blast or quake, trained on two logical CPUs to rehearse a run on two cards."""
import keras
import numpy as np
import tensorflow as tf

import bands
import devices
import quakes


def main():
    keras.utils.set_random_seed(10)
    strategy = devices.two_replicas()
    wave, kind = quakes.traces(96)
    f = np.asarray(bands.energies(tf.constant(wave)))
    with strategy.scope():
        w = tf.Variable(tf.zeros([f.shape[1], 1]))
        b = tf.Variable(tf.zeros([1]))

    def replica(a, y):
        with tf.GradientTape() as tape:
            per = tf.nn.sigmoid_cross_entropy_with_logits(y, a @ w + b)
            loss = tf.nn.compute_average_loss(per[:, 0], global_batch_size=32)
        g = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, [w, b]))
        w.assign_sub(0.3 * g[0])
        b.assign_sub(0.3 * g[1])
        return loss

    @tf.function
    def step(a, y):
        return strategy.reduce("SUM", strategy.run(replica, args=(a, y)), axis=None)

    ds = tf.data.Dataset.from_tensor_slices((f, kind)).batch(32).repeat(5)
    losses = [float(step(*b)) for b in strategy.experimental_distribute_dataset(ds)]
    print("replicas", strategy.num_replicas_in_sync, "loss", round(losses[0], 3), "to", round(losses[-1], 3))


if __name__ == "__main__":
    main()
