"""Weave-defect detector with a custom train_step and a last batch of another size."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def cloth(n, seed):
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(np.arange(24), np.arange(20))
    weave = 0.5 + 0.5 * np.sin(u) * np.cos(v)
    x = weave[None] + 0.1 * rng.normal(size=(n, 20, 24))
    flawed = rng.random(n) < 0.3
    for i in np.flatnonzero(flawed):
        r, c = rng.integers(2, 16, size=2)
        x[i, r:r + 3, c:c + 3] = 0.0
    return x.astype("float32")[..., None], flawed.astype("float32")[:, None]


class TopKPool(layers.Layer):
    """Mean of the k hottest positions of the map."""

    def __init__(self, k, **kwargs):
        super().__init__(**kwargs)
        self.k = k

    def call(self, heat):
        flat = keras.ops.reshape(heat, (keras.ops.shape(heat)[0], -1))
        return keras.ops.mean(keras.ops.top_k(flat, self.k)[0], axis=-1, keepdims=True)


class FlawModel(keras.Model):
    def __init__(self, inner, clip):
        super().__init__()
        self.inner = inner
        self.clip = clip
        self.norm_tracker = keras.metrics.Mean(name="grad_norm")

    def call(self, x, training=None):
        return self.inner(x, training=training)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            logits = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=logits)
        grads = tape.gradient(loss, self.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, self.clip)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.norm_tracker.update_state(norm)
        return {"loss": loss, "grad_norm": self.norm_tracker.result(),
                "rows": tf.shape(x)[0]}


def main():
    keras.utils.set_random_seed(10)
    x, y = cloth(70, seed=4)
    print("cloth", x.shape, "flawed", int(y.sum()), "- 70 rows in batches of 32, the last has 6")
    inner = keras.Sequential([
        keras.Input((20, 24, 1)),
        layers.Conv2D(6, 3, strides=(2, 3), padding="same", activation="relu"),
        layers.DepthwiseConv2D((3, 1), padding="valid"),
        layers.Conv2D(1, 1),
        TopKPool(5),
    ])
    print("heat map", inner.layers[2].output.shape)
    model = FlawModel(inner, clip=0.5)
    model.compile(optimizer=keras.optimizers.Adam(0.01), jit_compile=False,
                  loss=keras.losses.BinaryCrossentropy(from_logits=True))
    hist = model.fit(x, y, batch_size=32, epochs=2, verbose=0, shuffle=False)
    print("rows of the last batch", hist.history["rows"])
    assert hist.history["rows"][-1] == 6
    out = model.predict(x[:5], batch_size=2, verbose=0)
    print("scores", out.shape)


if __name__ == "__main__":
    main()
