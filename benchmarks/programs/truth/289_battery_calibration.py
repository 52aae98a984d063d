"""Calibrates a lithium-cell capacity model against cycling data.

capacity(cycle, temp, c_rate) is fitted by gradient descent on a robust loss.
The script prints the fitted residual; the bench accepts < 1.5 % of nominal capacity.
"""
import numpy as np
import tensorflow as tf

NOMINAL_AH = 2.9
DELTA = 0.1


def bench_log(n=600, seed=8):
    """Columns: cycle count / 1000, cell temperature / 50 C, C-rate, measured Ah."""
    rng = np.random.default_rng(seed)
    cyc = rng.uniform(0, 1.2, n)
    temp = rng.uniform(0.2, 0.9, n)
    rate = rng.choice([0.5, 1.0, 2.0], n)
    cap = NOMINAL_AH * (1 - 0.22 * np.sqrt(cyc) * (0.6 + temp)) - 0.12 * rate
    cap += rng.normal(0, 0.01, n)
    return np.column_stack([cyc, temp, rate, cap]).astype("float32")


def split(log, frac=0.8):
    k = int(len(log) * frac)
    features, target = log[:, :3], log[:, 3]
    return (features[:k], target[:k]), (features[k:], target[k:])


class CapacityModel(tf.keras.Model):
    def __init__(self, hidden=24):
        super().__init__()
        self.body = [tf.keras.layers.Dense(hidden, activation="tanh") for _ in range(2)]
        self.out = tf.keras.layers.Dense(1, bias_initializer=tf.keras.initializers.Constant(NOMINAL_AH))

    def call(self, x):
        for layer in self.body:
            x = layer(x)
        return self.out(x)


def robust_loss(measured, predicted):
    r = measured - predicted
    small = tf.abs(r) <= DELTA
    return tf.reduce_mean(tf.where(small, 0.5 * r * r, DELTA * (tf.abs(r) - 0.5 * DELTA)))


def residual_percent(measured, predicted):
    return 100.0 * float(tf.sqrt(tf.reduce_mean((measured - predicted) ** 2))) / NOMINAL_AH


def fit(model, data, epochs=60, batch=48):
    opt = tf.keras.optimizers.Adam(5e-3)

    @tf.function(jit_compile=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = robust_loss(y, model(x, training=True))
        g = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(g, model.trainable_variables))
        return loss

    model(data[0][:1])
    opt.build(model.trainable_variables)
    ds = tf.data.Dataset.from_tensor_slices(data).shuffle(1000, seed=1).batch(batch, drop_remainder=True)
    for epoch in range(1, epochs + 1):
        loss = tf.add_n([step(x, y) for x, y in ds]) / float(len(ds))
        if epoch % 15 == 0:
            print(f"epoch {epoch:3d}  robust loss {float(loss):.5f}")


def main():
    tf.keras.utils.set_random_seed(4)
    train, test = split(bench_log())
    model = CapacityModel()
    fit(model, train)
    print(f"train residual {residual_percent(train[1], model(train[0])):.2f} %")
    print(f"test  residual {residual_percent(test[1], model(test[0])):.2f} %")
    print("examples:", np.round(model(test[0][:5]).numpy().ravel(), 2), "measured", np.round(test[1][:5], 2))


if __name__ == "__main__":
    main()
