import numpy as np
import tensorflow as tf
import keras
from keras import layers


class MCDropout(keras.Model):
    def __init__(self, draws=8, rate=0.2):
        super().__init__()
        self.draws = draws
        self.hidden = layers.Dense(24, activation="relu")
        self.drop = layers.Dropout(rate, seed=11)
        self.out = layers.Dense(1, activation="sigmoid")

    def call(self, x, training=False):
        return self.out(self.drop(self.hidden(x), training=training))

    def predict_step(self, data):
        x = data
        many = tf.repeat(x, self.draws, axis=0)
        risk = self(many, training=True)
        return tf.reduce_mean(tf.reshape(risk, (-1, self.draws, 1)), axis=1)


def cohort(n=64, seed=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6)).astype("float32")
    x = x[np.argsort(x[:, 0])]
    y = (x[:, 0] + 0.5 * x[:, 1] > 0).astype("float32")
    return x, y


keras.utils.set_random_seed(4)
x, y = cohort()
model = MCDropout()
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy")
model.fit(x, y[:, None], epochs=20, batch_size=16, verbose=0)
risk = model.predict(x, batch_size=16, verbose=0)[: len(x), 0]
print("mean risk, event group   : %.3f" % risk[y == 1].mean())
print("mean risk, control group : %.3f" % risk[y == 0].mean())
