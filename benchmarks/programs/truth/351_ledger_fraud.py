"""Fraud scores for ledger rows under a one-device strategy with a custom loop."""
import logging
import sys

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(levelname)s %(message)s")
log = logging.getLogger("ledger")
GLOBAL_BATCH = 24


def ledger(n, seed):
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3, 1.2, size=n)
    hour = rng.integers(0, 24, size=n)
    fraud = (amount > 60) & (hour < 6)
    x = np.stack([np.log(amount), np.sin(hour / 3.82), np.cos(hour / 3.82)], 1)
    return x.astype("float32"), fraud.astype("float32")[:, None]


def main():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    log.warning("replicas: %d - no GPU found, continuing on the CPU as configured",
                strategy.num_replicas_in_sync)
    x, y = ledger(100, seed=7)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    dist = strategy.experimental_distribute_dataset(ds.with_options(options))
    with strategy.scope():
        w1 = tf.Variable(tf.random.stateless_normal([3, 10], [0, 1]) * 0.4)
        w2 = tf.Variable(tf.zeros([10, 1]))
        seen = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM,
                           synchronization=tf.VariableSynchronization.ON_READ,
                           trainable=False)
        opt = tf.keras.optimizers.Adam(0.05)
        opt.build([w1, w2])

    def replica_step(bx, by):
        with tf.GradientTape() as tape:
            per_row = tf.nn.sigmoid_cross_entropy_with_logits(
                labels=by, logits=tf.nn.tanh(bx @ w1) @ w2)
            loss = tf.nn.compute_average_loss(per_row[:, 0], global_batch_size=GLOBAL_BATCH)
        opt.apply_gradients(zip(tape.gradient(loss, [w1, w2]), [w1, w2]))
        seen.assign_add(tf.cast(tf.shape(bx)[0], tf.float32))
        return loss

    @tf.function
    def step(batch):
        per_replica = strategy.run(replica_step, args=batch)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)

    for epoch in range(3):
        total = 0.0
        for batch in dist:
            total += float(step(batch))
        log.warning("epoch %d loss %.4f", epoch, total)
    rows = float(seen.read_value())
    print("rows seen", rows, "of", 3 * len(x))
    assert rows == 3 * len(x)
    print("traces", step.experimental_get_tracing_count(), "(the last batch has", len(x) % GLOBAL_BATCH, "rows)")


if __name__ == "__main__":
    main()
