from collections import deque

import numpy as np


class Replay:
    def __init__(self, capacity, seed=0):
        self.data = deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def add(self, *transition):
        self.data.append(transition)

    def __len__(self):
        return len(self.data)

    def sample(self, n):
        pick = self.rng.integers(len(self.data), size=n)
        obs, act, rew, nxt, done = zip(*(self.data[i] for i in pick))
        return (np.stack(obs), np.array(act, "int32"), np.array(rew, "float32"),
                np.stack(nxt), np.array(done, "float32"))
