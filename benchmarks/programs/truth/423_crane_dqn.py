"""DQN for a crane that stacks containers: replay buffer, target network, early exit when solved."""
import collections
import random
import sys

import numpy as np
import tensorflow as tf

GAMMA, TAU, BATCH, STACKS = 0.9, 0.05, 32, 4


class Yard:
    """Put each arriving box on the stack that has its weight class; one step is one box."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.t = 0
        return self._see()

    def _see(self):
        self.kind = int(self.rng.integers(STACKS))
        return np.concatenate([np.eye(STACKS)[self.kind], [self.t / 10]]).astype("float32")

    def step(self, action):
        reward = 1.0 if action == self.kind else -0.2
        self.t += 1
        return self._see(), reward, self.t >= 10


def qnet():
    return tf.keras.Sequential([tf.keras.Input((STACKS + 1,)), tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(STACKS)])


class Agent:
    def __init__(self):
        self.q, self.target = qnet(), qnet()
        self.target.set_weights(self.q.get_weights())
        self.opt = tf.keras.optimizers.Adam(5e-3)
        self.memory = collections.deque(maxlen=600)   # old transitions fall out

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(STACKS)
        return int(tf.argmax(self.policy(s[None])[0]))

    @tf.function
    def policy(self, s):
        return self.q(s)

    @tf.function
    def learn(self, s, a, r, s2, done):
        nxt = tf.reduce_max(self.target(s2), axis=1)
        y = r + GAMMA * nxt * (1.0 - done)
        with tf.GradientTape() as tape:
            q = tf.gather(self.q(s), a, batch_dims=1)
            loss = tf.reduce_mean(tf.square(tf.stop_gradient(y) - q))
        v = self.q.trainable_variables
        self.opt.apply_gradients(zip(tape.gradient(loss, v), v))
        for t, w in zip(self.target.trainable_variables, v):
            t.assign((1 - TAU) * t + TAU * w)
        return loss

    def sample(self):
        s, a, r, s2, d = map(np.array, zip(*random.choices(self.memory, k=BATCH)))
        return s, a.astype("int32"), r.astype("float32"), s2, d.astype("float32")


def run(episodes=80):
    random.seed(1)
    tf.keras.utils.set_random_seed(1)
    yard, agent = Yard(1), Agent()
    recent = collections.deque(maxlen=5)
    for ep in range(episodes):
        s, total, done = yard.reset(), 0.0, False
        while not done:
            a = agent.act(s, eps=max(0.02, 0.5 - ep / 30))
            s2, r, done = yard.step(a)
            agent.memory.append((s, a, r, s2, done))
            s, total = s2, total + r
            if len(agent.memory) >= BATCH:
                agent.learn(*agent.sample())
        recent.append(total)
        if ep % 10 == 0:
            print(f"episode {ep:3d} return {total:5.1f} memory {len(agent.memory)}")
        if len(recent) == 5 and np.mean(recent) > 9.0:
            print(f"solved after {ep + 1} episodes, remaining {episodes - ep - 1} not needed")
            sys.exit(0)
    print("not solved within the budget, the best policy is kept")
    return 0


if __name__ == "__main__":
    sys.exit(run())
