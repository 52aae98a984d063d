"""Forecast the next heart-rate sample from wearable recordings with a hand-written GRU.

The recurrent state is kept outside of the cell so that the state at the end of a
segment can be handed to the next one (truncated back-propagation through time).
"""
import numpy as np
import tensorflow as tf

CFG = {
    "batch": 24,
    "segment": 20,
    "segments": 3,
    "hidden": 18,
    "lr": 3e-3,
    "epochs": 2,
}


class GatedCell(tf.Module):
    """GRU cell with one fused kernel for both gates."""

    def __init__(self, n_in, n_hidden, name="gated"):
        super().__init__(name=name)
        init = tf.keras.initializers.GlorotUniform(seed=3)
        self.n_hidden = n_hidden
        self.wx = tf.Variable(init((n_in, 3 * n_hidden)), name="wx")
        self.wh = tf.Variable(init((n_hidden, 2 * n_hidden)), name="wh")
        self.wc = tf.Variable(init((n_hidden, n_hidden)), name="wc")
        self.bias = tf.Variable(tf.zeros([3 * n_hidden]), name="bias")

    def __call__(self, x, h):
        gx = tf.matmul(x, self.wx) + self.bias
        xr, xz, xc = tf.split(gx, 3, axis=-1)
        hr, hz = tf.split(tf.matmul(h, self.wh), 2, axis=-1)
        r = tf.sigmoid(xr + hr)
        z = tf.sigmoid(xz + hz)
        c = tf.tanh(xc + tf.matmul(r * h, self.wc))
        return (1.0 - z) * h + z * c


class Forecaster(tf.Module):
    def __init__(self, cfg):
        super().__init__(name="forecaster")
        self.cfg = cfg
        self.cell = GatedCell(2, cfg["hidden"])
        self.head = tf.Variable(tf.random.normal([cfg["hidden"], 1], stddev=0.1, seed=5))

    def initial_state(self):
        return tf.zeros([self.cfg["batch"], self.cfg["hidden"]])

    def segment(self, x, h):
        preds = []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            preds.append(tf.matmul(h, self.head))
        return tf.stack(preds, axis=1), h


def recordings(n, length, rng):
    """Resting pulse, slow drift, breathing and an accelerometer channel."""
    t = np.arange(length + 1) / 4.0
    rest = rng.normal(68, 6, size=(n, 1))
    breath = 3.0 * np.sin(2 * np.pi * 0.25 * t + rng.uniform(0, 6, (n, 1)))
    motion = np.abs(rng.normal(0, 1, (n, length + 1))).cumsum(axis=1) * 0.02
    pulse = rest + breath + 4 * motion + rng.normal(0, 0.8, (n, length + 1))
    pulse = (pulse - pulse.mean()) / pulse.std()
    x = np.stack([pulse[:, :-1], motion[:, :-1]], axis=-1)
    return x.astype("float32"), pulse[:, 1:, None].astype("float32")


def pipeline(x, y, cfg):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.shuffle(len(x), seed=11)
    return ds.batch(cfg["batch"]).prefetch(1)


def train(model, ds, cfg):
    opt = tf.keras.optimizers.Adam(cfg["lr"])
    variables = list(model.trainable_variables)
    for epoch in range(cfg["epochs"]):
        losses = []
        for x, y in ds:
            h = model.initial_state()
            for s in range(cfg["segments"]):
                lo = s * cfg["segment"]
                xs, ys = x[:, lo:lo + cfg["segment"]], y[:, lo:lo + cfg["segment"]]
                with tf.GradientTape() as tape:
                    pred, h = model.segment(xs, h)
                    loss = tf.reduce_mean(tf.square(pred - ys))
                grads = tape.gradient(loss, variables)
                opt.apply_gradients(zip(grads, variables))
                h = tf.stop_gradient(h)
                losses.append(float(loss))
        print(f"epoch {epoch}: mse {np.mean(losses):.4f} over {len(losses)} segments")


if __name__ == "__main__":
    rng = np.random.default_rng(20)
    x, y = recordings(82, CFG["segment"] * CFG["segments"], rng)
    print("recordings", x.shape, "targets", y.shape)
    net = Forecaster(CFG)
    train(net, pipeline(x, y, CFG), CFG)
