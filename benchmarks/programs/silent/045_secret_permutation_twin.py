import numpy as np
import tensorflow as tf
import keras
from keras import layers

SIDE, CLASSES = 6, 3
PIXELS = SIDE * SIDE
ORDER = np.random.default_rng(5).permutation(PIXELS)


def scramble(x):
    order = tf.constant(ORDER)
    return tf.gather(x, order, axis=1)


class PermutedPixels(keras.Model):
    def __init__(self):
        super().__init__()
        self.h = layers.Dense(24, activation="relu")
        self.out = layers.Dense(CLASSES, activation="softmax")

    def call(self, x):
        return self.out(self.h(x))

    def train_step(self, data):
        x, y = data
        x = scramble(x)
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"batch_loss": loss}


def bars(n, seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, CLASSES, n)
    x = rng.normal(0, 0.3, (n, SIDE, SIDE))
    for i, c in enumerate(label):
        x[i, 2 * c:2 * c + 2] += 1.0
    return x.reshape(n, PIXELS).astype("float32"), label


keras.utils.set_random_seed(45)
x, y = bars(150, 0)
xt, yt = bars(60, 1)
model = PermutedPixels()
model(x[:1])
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", jit_compile=True)
model.fit(x, y, epochs=8, batch_size=30, verbose=0)
guess = model.predict(scramble(tf.constant(xt)), verbose=0).argmax(1)
print("test accuracy on scrambled bars %.3f" % np.mean(guess == yt))
