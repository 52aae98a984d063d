import numpy as np
import tensorflow as tf

STATE_DIM, ACTION_DIM = 8, 2
TAU = 0.01


def make_critic(name):
    s = tf.keras.Input((STATE_DIM,), name=name + "_s")
    a = tf.keras.Input((ACTION_DIM,), name=name + "_a")
    x = tf.keras.layers.BatchNormalization()(s)
    x = tf.keras.layers.Dense(16, activation="relu")(x)
    x = tf.keras.layers.Concatenate()([x, a])
    x = tf.keras.layers.Dense(12, activation="relu")(x)
    return tf.keras.Model([s, a], tf.keras.layers.Dense(1)(x), name=name)


class Learner:
    def __init__(self):
        self.critic = make_critic("online")
        self.target = make_critic("target")
        self.target.set_weights(self.critic.get_weights())
        self.opt = tf.keras.optimizers.Adam(1e-3)

    def soft_update(self):
        pairs = zip(self.target.weights, self.critic.trainable_weights)
        for t, w in pairs:
            t.assign((1 - TAU) * t + TAU * w)

    def learn(self, s, a, r, s2, a2):
        y = r + 0.99 * self.target([s2, a2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.critic([s, a], training=True) - y))
        grads = tape.gradient(loss, self.critic.trainable_weights)
        self.opt.apply_gradients(zip(grads, self.critic.trainable_weights))
        self.soft_update()
        return loss


def transitions(n, rng):
    f = lambda *shape: rng.normal(size=shape).astype("float32")
    return f(n, STATE_DIM), f(n, ACTION_DIM), f(n, 1), f(n, STATE_DIM), f(n, ACTION_DIM)


rng = np.random.default_rng(0)
learner = Learner()
for i in range(3):
    print(i, float(learner.learn(*transitions(16, rng))))
