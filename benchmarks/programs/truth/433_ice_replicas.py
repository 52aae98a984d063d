"""Sea-ice type from patches, data parallel over the host's two sockets."""
import argparse

import numpy as np
import tensorflow as tf

SIDE, TYPES = 8, 3


def sockets(n):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * n)
    return [d.name for d in tf.config.list_logical_devices("CPU")]


def patches(n, seed=37):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, TYPES, n)
    img = rng.normal(0, 0.4, (n, SIDE, SIDE, 1)) + kind[:, None, None, None] * 0.6
    return img.astype("float32"), kind.astype("int64")


class PatchNet(tf.keras.Model):
    """Mean over the cells of the patch, then a linear head."""

    def __init__(self, batch, hidden=16):
        super().__init__()
        self.batch = batch
        self.conv = tf.keras.layers.Conv2D(hidden, 3, strides=2, padding="same", activation="relu")
        self.out = tf.keras.layers.Dense(TYPES)

    def call(self, x):
        h = self.conv(x)
        h = tf.reshape(h, (self.batch, (SIDE // 2) ** 2, h.shape[-1]))
        return self.out(tf.reduce_mean(h, axis=1))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--batch", type=int, default=16, help="patches per update")
    ap.add_argument("--replicas", type=int, default=2)
    ap.add_argument("--updates", type=int, default=8)
    args = ap.parse_args()
    strategy = tf.distribute.MirroredStrategy(sockets(args.replicas), cross_device_ops=tf.distribute.ReductionToOneDevice())
    tf.keras.utils.set_random_seed(5)
    x, y = patches(256)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(256, seed=0).repeat().batch(args.batch, drop_remainder=True)
    ds = strategy.experimental_distribute_dataset(ds)
    with strategy.scope():
        net = PatchNet(args.batch)
        net(tf.zeros((net.batch, SIDE, SIDE, 1)))
        opt = tf.keras.optimizers.SGD(0.1)
        opt.build(net.trainable_variables)

    def replica_step(images, kinds):
        with tf.GradientTape() as tape:
            ce = tf.nn.sparse_softmax_cross_entropy_with_logits(kinds, net(images))
            loss = tf.nn.compute_average_loss(ce, global_batch_size=args.batch)
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        return loss

    @tf.function
    def update(batch):
        per = strategy.run(replica_step, args=batch)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per, axis=None)

    print("replicas", strategy.num_replicas_in_sync, "batch", args.batch)
    it = iter(ds)
    for k in range(args.updates):
        loss = update(next(it))
    print("loss", round(float(loss), 3))


if __name__ == "__main__":
    main()
