"""Contextual bandit for ad placement with an annealed exploration rate."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

ARMS = 5
CONTEXT = 8
ROUNDS = 40


class Schedule:
    """Linear decay from `start` to `end`."""

    def __init__(self, start, end, rounds):
        self.start, self.end, self.rounds = start, end, rounds

    def __call__(self, i):
        done = min(1.0, i / self.rounds)
        return self.start + (self.end - self.start) * done


class Market:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.taste = self.rng.normal(0, 1, (CONTEXT, ARMS))

    def visitors(self, n):
        return self.rng.normal(0, 1, (n, CONTEXT)).astype("float32")

    def clicks(self, x, arms):
        p = 1 / (1 + np.exp(-(x @ self.taste)[np.arange(len(x)), arms]))
        return (self.rng.uniform(size=len(x)) < p).astype("float32")


class Agent(tf.Module):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([keras.Input((CONTEXT,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(ARMS)])
        self.opt = keras.optimizers.SGD(0.1)

    @tf.function
    def choose(self, x, epsilon):
        best = tf.argmax(self.net(x), axis=-1, output_type=tf.int32)
        other = tf.random.uniform(tf.shape(best), maxval=ARMS, dtype=tf.int32)
        return tf.where(tf.random.uniform(tf.shape(best)) < epsilon, other, best)

    @tf.function
    def learn(self, x, arms, reward):
        with tf.GradientTape() as tape:
            value = tf.gather(self.net(x), arms, batch_dims=1)
            loss = tf.reduce_mean(keras.losses.binary_crossentropy(reward[:, None], tf.sigmoid(value)[:, None]))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss


def main():
    keras.utils.set_random_seed(10)
    market, agent = Market(10), Agent()
    schedule = Schedule(0.9, 0.05, ROUNDS)
    earned = []
    for i in range(ROUNDS):
        x = market.visitors(32)
        arms = agent.choose(x, schedule(i)).numpy()
        reward = market.clicks(x, arms)
        agent.learn(tf.constant(x), tf.constant(arms), tf.constant(reward))
        earned.append(reward.mean())
        if i % 10 == 9:
            print(f"round {i + 1}: click rate {np.mean(earned[-10:]):.3f} epsilon {schedule(i):.2f}")
    print("done")


if __name__ == "__main__":
    main()
