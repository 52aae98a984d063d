"""Crop-yield regression over weekly weather, data-parallel on two logical CPUs."""
import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()],
)

WEEKS, VARS = 24, 5
GLOBAL_BATCH = 64
EPOCHS = 3
SEASONS = 4  # the 24 weeks fall into four phases of growth


def make_fields(n, seed=3):
    rng = np.random.default_rng(seed)
    weather = rng.normal(size=(n, WEEKS, VARS)).astype("float32")
    phase = weather.reshape(n, SEASONS, WEEKS // SEASONS, VARS).mean(2)
    w = rng.normal(size=(SEASONS, VARS))
    yield_t = 6 + (phase * w).sum((1, 2)) + rng.normal(0, 0.1, n)
    return weather, yield_t.astype("float32")


def pipeline(x, y, training):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(x), seed=1)
    ds = ds.batch(GLOBAL_BATCH)
    opts = tf.data.Options()
    opts.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return ds.with_options(opts)


class PhaseEncoder(tf.Module):
    """Splits the weeks into phases and gives each phase its own projection."""

    def __init__(self, rows, width=8):
        super().__init__()
        self.rows = rows
        k = WEEKS // SEASONS * VARS
        self.w = tf.Variable(tf.random.normal([SEASONS, k, width], stddev=k ** -0.5, seed=4), name="w")
        self.b = tf.Variable(tf.zeros([SEASONS, 1, width]), name="b")

    def __call__(self, weather):
        z = tf.reshape(weather, [self.rows, SEASONS, -1])
        z = tf.nn.relu(tf.matmul(tf.transpose(z, [1, 0, 2]), self.w) + self.b)
        return tf.reshape(tf.transpose(z, [1, 0, 2]), [self.rows, -1])


class YieldModel(tf.Module):
    def __init__(self, rows):
        super().__init__()
        self.enc = PhaseEncoder(rows)
        self.w = tf.Variable(tf.random.normal([SEASONS * 8, 1], stddev=0.1, seed=5))
        self.b = tf.Variable(6.0)

    def __call__(self, weather):
        return tf.matmul(self.enc(weather), self.w)[:, 0] + self.b


def main():
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    print("replicas:", strategy.num_replicas_in_sync)
    with strategy.scope():
        model = YieldModel(GLOBAL_BATCH // strategy.num_replicas_in_sync)
        opt = tf.keras.optimizers.Adam(0.01)
        opt.build(model.trainable_variables)

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            se = tf.math.squared_difference(model(x), y)
            loss = tf.nn.compute_average_loss(se, global_batch_size=GLOBAL_BATCH)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def step(x, y):
        per_replica = strategy.run(replica_step, args=(x, y))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)

    x, y = make_fields(1000)
    ds = strategy.experimental_distribute_dataset(pipeline(x, y, training=True))
    for epoch in range(EPOCHS):
        losses = [float(step(bx, by)) for bx, by in ds]
        print(f"epoch {epoch + 1}: {len(losses)} steps, mse {np.mean(losses):.3f}")


if __name__ == "__main__":
    main()
