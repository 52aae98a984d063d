import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
from env import Crane
from learner import ActorCritic

if __name__ == "__main__":
    crane = Crane(seed=4)
    learner = ActorCritic(crane.state_size, crane.n_commands)
    for episode in range(3):
        state = crane.reset()
        trace, finished = [], False
        while not finished:
            command = learner.choose(state)
            following, reward, finished = crane.move(command)
            trace.append((state, command, reward))
            state = following
        print(episode, learner.improve(trace))
