import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(105)

SETUP = {
    "loss": keras.losses.CategoricalCrossentropy(from_logits=True),
    "optimizer": keras.optimizers.Adam(3e-3),
    "epochs": 2,
    "batch": 12,
}


def particles(n):
    rng = np.random.default_rng(105)
    kind = rng.integers(0, 4, n)
    hits = rng.poisson(3 + 2 * kind[:, None], (n, 20))
    return np.log1p(hits).astype("float32"), kind


class Loop:
    def __init__(self, model, loss, optimizer, epochs, batch):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.epochs, self.batch = epochs, batch
        self.seen = keras.metrics.SparseCategoricalAccuracy()

    def step(self, x, y):
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            value = self.loss(y, logits)
        grads = tape.gradient(value, self.model.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_weights))
        self.seen.update_state(y, logits)
        return value

    def run(self, x, y):
        ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(self.batch)
        for epoch in range(self.epochs):
            self.seen.reset_state()
            losses = [float(self.step(*b)) for b in ds]
            print(epoch, np.mean(losses), float(self.seen.result()))


mlp = keras.Sequential([keras.layers.Dense(24, "relu"), keras.layers.Dense(4)])
Loop(mlp, **SETUP).run(*particles(60))
