"""Replay buffer with compiled sampling for a bandit agent."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(31)
CAPACITY, BATCH = 64, 8


class Replay(tf.Module):
    def __init__(self, width):
        super().__init__()
        self.states = tf.Variable(tf.zeros([CAPACITY, width]))
        self.rewards = tf.Variable(tf.zeros([CAPACITY]))
        self.filled = 0

    def add(self, state, reward):
        slot = self.filled % CAPACITY
        self.states[slot].assign(state)
        self.rewards[slot].assign(reward)
        self.filled += 1

    @tf.function(jit_compile=True)
    def sample(self):
        priority = tf.random.shuffle(self.rewards)
        order = tf.argsort(priority)[:BATCH]
        return tf.gather(self.states, order), tf.gather(self.rewards, order)


class Critic(tf.Module):
    def __init__(self, width):
        super().__init__()
        self.w = tf.Variable(tf.zeros([width]))

    @tf.function(jit_compile=True)
    def update(self, states, rewards):
        error = rewards - tf.linalg.matvec(states, self.w)
        self.w.assign_add(0.1 * tf.reduce_mean(error[:, None] * states, axis=0))
        return tf.reduce_mean(error ** 2)


rng = np.random.default_rng(31)
replay, critic = Replay(3), Critic(3)
for _ in range(CAPACITY):
    s = rng.normal(size=3)
    replay.add(s, s @ [1.0, 0.0, -1.0])
for _ in range(5):
    print(float(critic.update(*replay.sample())))
