"""Q-learning on a short corridor from a fixed log of random moves."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
CELLS, ACTIONS, GAMMA = 6, 2, 0.9

cell = rng.integers(0, CELLS - 1, 512)
action = rng.integers(0, ACTIONS, 512)
nxt = np.clip(cell + np.where(action == 1, 1, -1), 0, CELLS - 1)
reward = (nxt == CELLS - 1).astype("float32")
done = (nxt == CELLS - 1).astype("float32")


class Dueling(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.value = tf.keras.layers.Dense(1)
        self.edge = tf.keras.layers.Dense(ACTIONS)

    def call(self, s):
        x = tf.one_hot(s, CELLS)
        edge = self.edge(x)
        return self.value(x) + edge - tf.reduce_mean(edge, axis=1, keepdims=True)


online, frozen = Dueling(), Dueling()
online(tf.constant([0]))
frozen(tf.constant([0]))
frozen.set_weights(online.get_weights())
opt = tf.keras.optimizers.Adam(0.05)


@tf.function
def update(s, a, r, s2, d):
    best = tf.reduce_max(frozen(s2), axis=1, keepdims=True)
    target = r[:, None] + GAMMA * (1.0 - d[:, None]) * best
    with tf.GradientTape() as tape:
        taken = tf.reduce_sum(online(s) * tf.one_hot(a, ACTIONS), axis=1, keepdims=True)
        loss = tf.reduce_mean(tf.square(target - taken))
    grads = tape.gradient(loss, online.trainable_variables)
    opt.apply_gradients(zip(grads, online.trainable_variables))
    return loss


for step in range(400):
    pick = rng.integers(0, 512, 32)
    loss = update(*(tf.constant(v[pick]) for v in (cell, action, reward, nxt, done)))
    if step % 10 == 9:
        frozen.set_weights(online.get_weights())

q = online(tf.range(CELLS - 1)).numpy()
print("loss", round(float(loss), 4))
print("value of going right:", np.round(q[:, 1], 3))
print("value of going left: ", np.round(q[:, 0], 3))
