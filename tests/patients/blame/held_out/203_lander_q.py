import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import random
from collections import deque, namedtuple

import numpy as np
import tensorflow as tf
from tensorflow import keras

Step = namedtuple("Step", "s a r s2 done")


class LanderLike:
    """A point mass that should touch down softly: 6 readings, 3 thrusters."""
    n_readings = 6
    n_thrusters = 3

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.s = self.rng.normal(0, 1, self.n_readings).astype(np.float32)
        self.t = 0
        return self.s

    def step(self, a):
        push = np.zeros(self.n_readings, np.float32)
        push[a] = 0.1
        self.s = (0.98 * self.s + push).astype(np.float32)
        self.t += 1
        return self.s, -float(np.abs(self.s).sum()), self.t >= 20


class Agent:
    def __init__(self, env, width=32, gamma=0.97):
        self.env = env
        self.gamma = gamma
        self.memory = deque(maxlen=500)
        self.online = self._network(width)
        self.target = keras.models.clone_model(self.online)
        self.opt = keras.optimizers.Adam(1e-3)

    def _network(self, width):
        m = keras.Sequential()
        m.add(keras.Input((self.env.n_readings,)))
        m.add(keras.layers.Dense(width, activation="relu"))
        m.add(keras.layers.Dense(width, activation="relu"))
        m.add(keras.layers.Dense(self.env.n_readings))
        return m

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.env.n_thrusters)
        q = self.online(s[None])[0].numpy()
        return int(q[:self.env.n_thrusters].argmax())

    def learn(self, n=32):
        batch = random.sample(self.memory, n)
        s, a, r, s2, done = (np.array(c) for c in zip(*batch))
        best = tf.reduce_max(self.target(s2), axis=1)
        y = r.astype(np.float32) + self.gamma * best * (1.0 - done.astype(np.float32))
        pick = tf.one_hot(a, self.env.n_thrusters)
        with tf.GradientTape() as tape:
            q = tf.reduce_sum(self.online(s) * pick, axis=1)
            loss = tf.reduce_mean(keras.losses.huber(y[:, None], q[:, None]))
        g = tape.gradient(loss, self.online.trainable_variables)
        self.opt.apply_gradients(zip(g, self.online.trainable_variables))
        return float(loss)


random.seed(1)
env = LanderLike()
agent = Agent(env)
for episode in range(6):
    s, over = env.reset(), False
    while not over:
        a = agent.act(s, eps=0.5)
        s2, r, over = env.step(a)
        agent.memory.append(Step(s, a, r, s2, over))
        s = s2
    if len(agent.memory) >= 64:
        print(episode, agent.learn())
