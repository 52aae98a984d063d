"""Tiny arena game: a policy network fights zombies."""
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(13)


class Arena:
    def __init__(self, zombies=6, seed=13):
        self.rng = np.random.default_rng(seed)
        self.start = zombies
        self.reset()

    def reset(self):
        self.alive = self.start
        self.killed = 0
        return self.observe()

    def observe(self):
        return np.array([[self.alive, self.killed, self.rng.random()]], "float32")

    def step(self, action):
        if action == 1 and self.rng.random() < 0.6 and self.alive:
            self.alive -= 1
            self.killed += 1
            print(f"Killed {self.killed} zombie workers")
        return self.observe(), self.alive == 0


policy = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
arena = Arena()
obs = arena.reset()
for turn in range(60):
    probs = tf.nn.softmax(policy(obs))[0].numpy()
    obs, over = arena.step(int(arena.rng.choice(2, p=probs / probs.sum())))
    if over:
        print("Game over: segmentation of the horde complete, core dumped into the score file")
        break
print("turns", turn + 1, "killed", arena.killed)
