"""Planar point robot that has to reach a goal; goal conditioned observations."""
import numpy as np

MOVES = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=float)


class PointRobot:
    n_actions = len(MOVES)

    def __init__(self, size=1.0, dt=0.1, limit=25, seed=0):
        self.size, self.dt, self.limit = size, dt, limit
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.pos = self.rng.uniform(-self.size, self.size, 2)
        self.vel = np.zeros(2)
        self.goal = self.rng.uniform(-self.size, self.size, 2)
        self.t = 0
        return self.state()

    def state(self):
        return np.concatenate([self.pos, self.vel])

    def step(self, action):
        self.vel = 0.8 * self.vel + 0.5 * MOVES[action]
        self.pos = np.clip(self.pos + self.dt * self.vel, -self.size, self.size)
        self.t += 1
        dist = np.linalg.norm(self.pos - self.goal)
        done = bool(dist < 0.1 or self.t >= self.limit)
        return self.state(), -dist + 5.0 * (dist < 0.1), done
