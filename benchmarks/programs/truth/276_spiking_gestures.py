"""Spiking network on event-camera gestures with surrogate and straight-through gradients."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

STEPS, CHANNELS, GESTURES = 12, 10, 3


@tf.custom_gradient
def spike(v):
    out = tf.cast(v > 0.0, v.dtype)

    def grad(upstream):
        return upstream / tf.square(1.0 + 5.0 * tf.abs(v))

    return out, grad


@tf.custom_gradient
def clip_backward(x):
    def grad(upstream):
        clean = tf.where(tf.math.is_finite(upstream), upstream, tf.zeros_like(upstream))
        return tf.clip_by_norm(clean, 1.0)

    return tf.identity(x), grad


def quantise(x, levels):
    """Rounds in the forward direction, passes gradients as if it had not."""
    return x + tf.stop_gradient(tf.round(x * levels) / levels - x)


class LeakyNeurons(keras.layers.Layer):
    def __init__(self, units, leak, **kw):
        super().__init__(**kw)
        self.units, self.leak = units, leak

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.units), initializer="glorot_normal")
        self.frozen = self.add_weight(shape=(self.units,), initializer="ones", trainable=False)

    def call(self, events):
        drive = tf.einsum("btc,cu->btu", events, quantise(self.w, 16.0))
        v = tf.zeros_like(drive[:, 0])
        spikes = []
        for t in range(STEPS):
            v = self.leak * v + drive[:, t]
            s = spike(v - self.frozen)
            v = v - tf.stop_gradient(s) * self.frozen
            spikes.append(s)
        return clip_backward(tf.stack(spikes, axis=1))


def gestures(n, rng):
    y = rng.integers(0, GESTURES, n)
    rate = 0.1 + 0.5 * (np.arange(CHANNELS)[None] % GESTURES == y[:, None])
    x = rng.uniform(size=(n, STEPS, CHANNELS)) < rate[:, None]
    return x.astype("float32"), y.astype("int32")


def main():
    keras.utils.set_random_seed(19)
    x, y = gestures(90, np.random.default_rng(19))
    inp = keras.Input((STEPS, CHANNELS))
    hidden = LeakyNeurons(20, 0.8)(inp)
    out = keras.layers.Dense(GESTURES)(keras.layers.Lambda(lambda s: tf.reduce_mean(s, axis=1), output_shape=(20,))(hidden))
    model = keras.Model(inp, out)
    opt = keras.optimizers.Adam(2e-2)
    opt.build(model.trainable_variables)

    @tf.function(jit_compile=True)
    def step(xb, yb):
        with tf.GradientTape() as tape:
            logits = model(xb, training=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=yb, logits=logits))
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return loss, [tf.norm(g) for g in grads]

    for epoch in range(3):
        for lo in range(0, len(x), 40):
            loss, norms = step(tf.constant(x[lo:lo + 40]), tf.constant(y[lo:lo + 40]))
        print(f"epoch {epoch}: loss {float(loss):.4f} gradient norms {[round(float(n), 4) for n in norms]}")
    print("Error rate:", float(np.mean(np.argmax(model(x).numpy(), 1) != y)))


if __name__ == "__main__":
    main()
