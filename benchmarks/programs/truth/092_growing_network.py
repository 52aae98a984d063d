"""Progressive growing: widen the head during training, one optimizer."""
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(55)


class Grower:
    def __init__(self):
        self.blocks = [keras.layers.Dense(8, "relu", name="block0")]
        self.head = keras.layers.Dense(1, name="head")
        self.optimizer = keras.optimizers.Adam(0.01)

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def grow(self):
        self.blocks.append(keras.layers.Dense(8, "relu", name=f"block{len(self.blocks)}"))

    @property
    def variables(self):
        return [v for layer in [*self.blocks, self.head] for v in layer.trainable_variables]

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        grads = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients(zip(grads, self.variables))
        return float(loss)


rng = np.random.default_rng(55)
x = tf.constant(rng.normal(size=(40, 4)), tf.float32)
y = tf.reduce_sum(x, 1, keepdims=True)
net = Grower()
for phase in range(3):
    losses = [net.step(x, y) for _ in range(5)]
    print("phase", phase, "loss", round(losses[-1], 3))
    net.grow()
