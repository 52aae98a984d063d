import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(75)


class PoleEnv:
    def __init__(self):
        self.rng = np.random.default_rng(75)

    def reset(self):
        self.t, self.state = 0, self.rng.uniform(-.05, .05, 4)
        return self.state

    def step(self, action):
        self.t += 1
        push = 0.1 if action else -0.1
        self.state = self.state * 1.05 + push * np.array([0.1, 1.0, -0.05, -0.7])
        done = self.t >= 6 or abs(self.state[2]) > .4
        return self.state, 1.0, done


class Policy(keras.Model):
    def __init__(self, n_actions):
        super().__init__()
        self.scale = np.array([2.4, 3.0, 0.2, 3.0])
        self.d1 = keras.layers.Dense(16, activation="tanh")
        self.d2 = keras.layers.Dense(n_actions)

    def preprocess(self, state):
        return tf.convert_to_tensor(state / self.scale, dtype=tf.float32)

    def call(self, s):
        return self.d2(self.d1(s))


def act(policy, state, rng):
    logits = policy(policy.preprocess(state))[0]
    p = tf.nn.softmax(logits).numpy().astype("float64")
    return rng.choice(len(p), p=p / p.sum())


env, policy, rng = PoleEnv(), Policy(2), np.random.default_rng(1)
for episode in range(2):
    state, done, total = env.reset(), False, 0.0
    while not done:
        state, reward, done = env.step(act(policy, state, rng))
        total += reward
    print("episode", episode, "return", total)
