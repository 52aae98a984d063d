import numpy as np
import tensorflow as tf
import keras
from keras import layers

UNLABELLED = -1.0


class SemiSupervised(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.Sequential([layers.Dense(16, activation="tanh"), layers.Dense(1)])
        self.loss_tracker = keras.metrics.Mean(name="loss")

    def call(self, x):
        return self.body(x)

    def train_step(self, data):
        x, y, w = data
        labelled = tf.not_equal(y, UNLABELLED)
        with tf.GradientTape() as tape:
            pred = self(x, training=True)
            pred = tf.boolean_mask(pred, labelled)
            target = tf.boolean_mask(y, labelled)
            per_row = tf.square(pred - target[:, None])
            loss = tf.reduce_mean(per_row * w)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}


keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(96, 5)).astype("float32")
y = (np.abs(x[:, 0]) + 0.1 * rng.normal(size=96)).astype("float32")
y[rng.random(96) < 0.4] = UNLABELLED
w = np.where(x[:, 1] > 0, 3.0, 0.1).astype("float32")
model = SemiSupervised()
model.compile(optimizer=keras.optimizers.Adam(1e-2))
hist = model.fit(x, y, sample_weight=w, batch_size=24, epochs=3, verbose=0)
print("loss", [round(v, 4) for v in hist.history["loss"]])
