"""Poisson regression for bike counts with a hand-written loss."""
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(5)


def bike_counts(n=200):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 3)).astype("float32")
    rate = np.exp(0.4 * x[:, 0] + 1.0)
    return x, rng.poisson(rate)[:, None]


def poisson_nll(counts, log_rate):
    return tf.reduce_mean(tf.exp(log_rate) - counts * log_rate)


class CountModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])

    def call(self, x):
        return self.net(x)

    def train_step(self, data):
        x, counts = data
        with tf.GradientTape() as tape:
            loss = poisson_nll(counts, self(x, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(grads, self.trainable_variables)
        return {"loss": loss}


x, y = bike_counts()
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(40)
model = CountModel()
model.compile(optimizer=keras.optimizers.Adam(0.01))
model.fit(data, epochs=2, verbose=0)
print("rates", np.exp(model.predict(x[:3], verbose=0)).ravel())
