import numpy as np


class Wrapper:
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    def reset(self):
        return self.env.reset()

    def step(self, action):
        return self.env.step(action)


class GoalInObservation(Wrapper):
    """Append the vector to the goal to the robot state."""

    def observation(self, state):
        return np.concatenate([state, self.env.goal - self.env.pos]).astype("float32")

    def reset(self):
        return self.observation(self.env.reset())


class RewardScale(Wrapper):
    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = scale

    def step(self, action):
        obs, reward, done = self.env.step(action)
        return obs, self.scale * reward, done
