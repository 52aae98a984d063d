import random
from collections import deque

import numpy as np
import tensorflow as tf


class PoleEnv:
    """Tiny stand-in for CartPole."""
    n_actions = 2

    def reset(self):
        self.t = 0
        self.s = np.random.uniform(-0.05, 0.05, 4).astype("float32")
        return self.s

    def step(self, a):
        self.t += 1
        self.s = self.s + np.float32(0.1 * (2 * a - 1)) * np.array([0, 1, 0, -1], "float32")
        done = bool(abs(self.s[2]) > 0.2 or self.t >= 15)
        return self.s, 1.0, done


class DQNAgent:
    def __init__(self, state_size, action_size):
        self.state_size, self.action_size = state_size, action_size
        self.memory = deque(maxlen=500)
        self.gamma, self.epsilon = 0.95, 0.2
        self.model = tf.keras.Sequential([
            tf.keras.Input((state_size,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(action_size),
        ])
        self.model.compile(loss="mse", optimizer="adam")

    def act(self, state):
        if np.random.rand() <= self.epsilon:
            return random.randrange(self.action_size)
        q = self.model(state)
        return int(np.argmax(q[0]))

    def replay(self, batch_size):
        batch = random.sample(self.memory, batch_size)
        s, a, r, s2, d = map(np.array, zip(*batch))
        target = self.model(s).numpy()
        best = self.model(s2).numpy().max(axis=1)
        target[np.arange(batch_size), a] = r + self.gamma * best * (1 - d)
        self.model.train_on_batch(s, target)


np.random.seed(0)
random.seed(0)
env = PoleEnv()
agent = DQNAgent(4, env.n_actions)
for episode in range(3):
    state, done = env.reset(), False
    while not done:
        action = agent.act(state)
        nxt, reward, done = env.step(action)
        agent.memory.append((state, action, reward, nxt, float(done)))
        state = nxt
    if len(agent.memory) > 16:
        agent.replay(16)
print("memory", len(agent.memory))
