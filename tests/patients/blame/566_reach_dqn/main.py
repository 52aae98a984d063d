import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras
import numpy as np

from reach.agent import DoubleDQN
from reach.env import PointRobot
from reach.replay import Replay
from reach.wrappers import GoalInObservation, RewardScale


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--episodes", type=int, default=12)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--eps", type=float, default=0.5)
    p.add_argument("--seed", type=int, default=4)
    return p.parse_args()


def main(a):
    keras.utils.set_random_seed(a.seed)
    env = RewardScale(GoalInObservation(PointRobot(seed=a.seed)), scale=0.5)
    first = env.reset()
    agent = DoubleDQN(len(first), env.n_actions, seed=a.seed)
    memory = Replay(2000, a.seed)
    returns = []
    for ep in range(a.episodes):
        obs, done, total = env.reset(), False, 0.0
        while not done:
            action = agent.act(obs, a.eps)
            nxt, reward, done = env.step(action)
            memory.add(obs, action, reward, nxt, done)
            obs, total = nxt, total + reward
            if len(memory) >= a.batch:
                agent.learn(*memory.sample(a.batch))
        if ep % 4 == 3:
            agent.sync()
        returns.append(total)
    print(f"mean return of the last episodes {np.mean(returns[-5:]):.2f}")


if __name__ == "__main__":
    main(parse())
