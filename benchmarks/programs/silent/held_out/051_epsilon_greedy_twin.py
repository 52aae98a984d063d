import random
import numpy as np
import tensorflow as tf

ARMS, EPS = 5, 0.2
MEANS = np.array([0.3, 0.2, 0.1, 0.8, 0.5])


class Bandit(tf.Module):
    def __init__(self):
        super().__init__()
        self.value = tf.Variable(tf.zeros(ARMS))
        self.count = tf.Variable(tf.zeros(ARMS))

    @tf.function(jit_compile=True)
    def choose(self, coin, other):
        explore = coin < EPS
        greedy = tf.argmax(self.value, output_type=tf.int32)
        return tf.where(explore, other, greedy)

    @tf.function(jit_compile=True)
    def learn(self, arm, reward):
        hot = tf.one_hot(arm, ARMS)
        self.count.assign_add(hot)
        self.value.assign_add(hot * (reward - self.value) / tf.maximum(self.count, 1.0))


random.seed(51)
rng = np.random.default_rng(51)
agent, total = Bandit(), 0.0
for t in range(400):
    coin = tf.constant(rng.random(), tf.float32)
    other = tf.constant(rng.integers(ARMS), tf.int32)
    arm = agent.choose(coin, other)
    reward = MEANS[int(arm)] + 0.05 * rng.normal()
    agent.learn(arm, tf.constant(reward, tf.float32))
    total += reward
print("mean reward %.3f" % (total / 400))
print("estimated values", agent.value.numpy().round(2).tolist())
