import numpy as np


class Crane:
    """Load hanging on a trolley: position, speed, angle, angular speed."""

    state_size = 4
    n_commands = 3

    def __init__(self, seed=0, horizon=15):
        self.random = np.random.default_rng(seed)
        self.horizon = horizon

    def _observe(self):
        return np.array([self.x, self.v, self.angle, self.spin], dtype=np.float32)

    def reset(self):
        self.x, self.v = self.random.uniform(-1, 1, 2)
        self.angle, self.spin = 0.0, 0.0
        self.t = 0
        return self._observe()[np.newaxis]

    def move(self, command):
        force = (command - 1) * 0.5
        self.v += 0.1 * force
        self.x += 0.1 * self.v
        self.spin += 0.1 * (-9.8 * np.sin(self.angle) - force)
        self.angle += 0.1 * self.spin
        self.t += 1
        reward = -abs(self.x) - abs(self.angle)
        return self._observe(), reward, self.t >= self.horizon
