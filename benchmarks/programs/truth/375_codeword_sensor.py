"""A sensor that sends few bits: encoder, quantiser, decoder."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


class Quantiser(layers.Layer):
    def __init__(self, bits=3, straight_through=False, **kw):
        super().__init__(**kw)
        self.levels = 2 ** bits - 1
        self.straight_through = straight_through

    def call(self, z):
        u = tf.sigmoid(z) * self.levels
        q = tf.round(u)
        if self.straight_through:
            q = u + tf.stop_gradient(q - u)
        return q / self.levels


class Encoder(keras.Model):
    def __init__(self, code, **kw):
        super().__init__(**kw)
        self.h = layers.Dense(24, activation="relu")
        self.z = layers.Dense(code)
        self.q = Quantiser()

    def call(self, x):
        return self.q(self.z(self.h(x)))


class Link:
    def __init__(self, features, code=6):
        self.encoder = Encoder(code)
        self.decoder = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(features)])
        self.encoder.build((None, features))
        self.decoder.build((None, code))
        self.near = keras.optimizers.Adam(3e-3)
        self.far = keras.optimizers.Adam(3e-3)

    def error(self, x):
        return tf.reduce_mean(tf.square(self.decoder(self.encoder(x)) - x))

    @tf.function
    def step(self, x):
        with tf.GradientTape(persistent=True) as tape:
            loss = self.error(x)
        for opt, part in ((self.far, self.decoder), (self.near, self.encoder)):
            v = part.trainable_variables
            opt.apply_gradients(zip(tape.gradient(loss, v), v))
        return loss


def readings(count, seed):
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(count, 3))
    return np.tanh(latent @ rng.normal(size=(3, 10))).astype("float32")


def main():
    keras.utils.set_random_seed(14)
    x = readings(300, seed=5)
    link = Link(features=x.shape[1])
    ds = tf.data.Dataset.from_tensor_slices(x).shuffle(300, seed=2).batch(30)
    for epoch in range(4):
        loss = [float(link.step(b)) for b in ds]
        print("epoch", epoch, "error", round(float(np.mean(loss)), 4))


if __name__ == "__main__":
    main()
