"""SimCLR in miniature: two noisy views of each vector must find each other."""
import argparse

import numpy as np
import tensorflow as tf
import keras

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=50)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--samples", type=int, default=420)
args = parser.parse_args()

keras.utils.set_random_seed(13)


class Contrastive(keras.Model):
    def __init__(self, encoder, temperature=0.2):
        super().__init__()
        self.encoder = encoder
        self.temperature = temperature
        self.loss_tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.loss_tracker]

    def call(self, x, training=False):
        return self.encoder(x, training=training)

    def train_step(self, x):
        first = x + tf.random.normal(tf.shape(x), stddev=0.1)
        second = x + tf.random.normal(tf.shape(x), stddev=0.1)
        targets = tf.range(args.batch_size)
        with tf.GradientTape() as tape:
            a = tf.math.l2_normalize(self.encoder(first, training=True), axis=1)
            b = tf.math.l2_normalize(self.encoder(second, training=True), axis=1)
            logits = tf.matmul(a, b, transpose_b=True) / self.temperature
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
            loss = tf.reduce_mean(loss)
        grads = tape.gradient(loss, self.encoder.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.encoder.trainable_variables))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}


encoder = keras.Sequential([keras.Input((20,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(16)])
data = np.random.normal(size=(args.samples, 20)).astype("float32")
model = Contrastive(encoder)
model.compile(optimizer=keras.optimizers.Adam(1e-3))
model.fit(data, batch_size=args.batch_size, epochs=args.epochs, verbose=2)
print("embedding of the first three:\n", model.predict(data[:3], verbose=0))
