import keras
import numpy as np
import tensorflow as tf


def q_network(obs_dim, n_actions, hidden=48):
    return keras.Sequential([
        keras.Input((obs_dim,)),
        keras.layers.Dense(hidden, activation="relu"),
        keras.layers.Dense(hidden, activation="relu"),
        keras.layers.Dense(n_actions),
    ])


class DoubleDQN:
    def __init__(self, obs_dim, n_actions, gamma=0.95, lr=2e-3, seed=0):
        self.online = q_network(obs_dim, n_actions)
        self.target = q_network(obs_dim, n_actions)
        self.n_actions, self.gamma = n_actions, gamma
        self.opt = keras.optimizers.Adam(lr)
        self.opt.build(self.online.trainable_variables)
        self.rng = np.random.default_rng(seed)
        self.sync()

    def sync(self):
        self.target.set_weights(self.online.get_weights())

    def act(self, obs, eps):
        if self.rng.random() < eps:
            return int(self.rng.integers(self.n_actions))
        q = self.online(obs[None])
        return int(tf.argmax(q[0]))

    @tf.function
    def learn(self, obs, act, rew, nxt, done):
        best = tf.argmax(self.online(nxt), axis=1, output_type=tf.int32)
        future = tf.gather(self.target(nxt), best, batch_dims=1)
        goal = rew + self.gamma * (1.0 - done) * future
        with tf.GradientTape() as tape:
            q = tf.gather(self.online(obs), act, batch_dims=1)
            loss = tf.reduce_mean(keras.losses.huber(goal[:, None], q[:, None]))
        v = self.online.trainable_variables
        self.opt.apply_gradients(zip(tape.gradient(loss, v), v))
        return loss
