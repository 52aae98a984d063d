import numpy as np
import tensorflow as tf
import keras
from keras import layers


class MixupClassifier(keras.Model):
    def __init__(self, classes=4, alpha=0.4):
        super().__init__()
        self.net = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(classes)])
        self.alpha = alpha
        self.counter = self.add_weight(shape=(), dtype="int32", initializer="zeros", trainable=False, name="counter")

    def call(self, x):
        return self.net(x)

    def key(self, salt):
        return tf.stack([tf.convert_to_tensor(self.counter), salt])

    def shuffled(self, x, salt):
        key = tf.random.stateless_uniform((tf.shape(x)[0],), seed=self.key(salt))
        return tf.gather(x, tf.argsort(key))

    def train_step(self, data):
        x, y = data
        self.counter.assign_add(1)
        lam = tf.random.stateless_uniform((), seed=self.key(77), minval=0.2, maxval=0.8)
        x_mix = lam * x + (1 - lam) * self.shuffled(x, 1)
        y_mix = lam * y + (1 - lam) * self.shuffled(y, 2)
        with tf.GradientTape() as tape:
            logits = self(x_mix, training=True)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y_mix, logits))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"batch_loss": loss}


def blobs(n, seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 4, n)
    centre = np.array([[2, 0], [0, 2], [-2, 0], [0, -2]])
    return (centre[label] + rng.normal(0, 0.4, (n, 2))).astype("float32"), np.eye(4, dtype="float32")[label]


keras.utils.set_random_seed(25)
x, y = blobs(160, 3)
model = MixupClassifier()
model.compile(optimizer=keras.optimizers.Adam(0.02))
model.fit(x, y, epochs=15, batch_size=32, verbose=0)
prob = tf.nn.softmax(model.predict(x, verbose=0)).numpy()
print("mean confidence in the true class %.3f" % (prob * y).sum(1).mean())
