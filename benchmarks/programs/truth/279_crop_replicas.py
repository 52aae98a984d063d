"""Crop-type model on satellite time series, data-parallel over two logical CPU devices."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras

DATES, BANDS_USED, CROPS = 10, 4, 4
GLOBAL_BATCH = 24


def logical_cpus(n):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * n)
    return [f"/cpu:{i}" for i in range(n)]


def parcels(n, rng):
    crop = rng.integers(0, CROPS, n)
    days = np.linspace(0, 1, DATES)
    peak = 0.2 + 0.18 * crop[:, None]
    green = np.exp(-((days - peak) ** 2) / 0.02)
    bands = green[..., None] * rng.uniform(0.5, 1.0, (n, 1, BANDS_USED)) + rng.normal(0, 0.05, (n, DATES, BANDS_USED))
    return bands.astype("float32"), crop.astype("int32")


def network():
    x = keras.Input((DATES, BANDS_USED))
    h = keras.layers.Conv1D(12, 3, padding="same", activation="relu")(x)
    h = keras.layers.Flatten()(h)
    return keras.Model(x, keras.layers.Dense(CROPS)(h))


class Job:
    def __init__(self, strategy):
        self.strategy = strategy
        with strategy.scope():
            self.model = network()
            self.weights = self.model.trainable_variables
            self.seen = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM, synchronization=tf.VariableSynchronization.ON_READ, trainable=False)

    def replica_step(self, x, y):
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self.model(x, training=True))
            loss = tf.nn.compute_average_loss(each, global_batch_size=GLOBAL_BATCH)
        self.seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        grads = tape.gradient(loss, [w.value for w in self.weights])
        grads = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, grads)
        for w, g in zip(self.weights, grads):
            w.value.assign_sub(0.5 * g)
        return loss

    @tf.function
    def step(self, batch):
        per_replica = self.strategy.run(self.replica_step, args=batch)
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)


def main():
    devices = logical_cpus(2)
    keras.utils.set_random_seed(17)
    strategy = tf.distribute.MirroredStrategy(devices)
    x, y = parcels(113, np.random.default_rng(17))
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    distributed = strategy.experimental_distribute_dataset(ds.with_options(options))
    job = Job(strategy)
    for epoch in range(2):
        losses = [float(job.step(batch)) for batch in distributed]
        print(f"epoch {epoch}: last losses {np.round(losses[-3:], 3).tolist()} on {strategy.num_replicas_in_sync} replicas")
    print("parcels seen", float(job.seen.read_value()), "unequal last batch of", 113 % GLOBAL_BATCH)
    hit = np.mean(np.argmax(job.model(x).numpy(), 1) == y)
    print("Errors left:", int(round((1 - hit) * len(x))), "of", len(x))


if __name__ == "__main__":
    main()
