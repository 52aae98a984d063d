"""Linear bandit with a compiled update."""
import numpy as np
import tensorflow as tf

ARMS, DIM = 4, 5
rng = np.random.default_rng(21)
theta_true = rng.normal(size=(ARMS, DIM)).astype("float32")


class Bandit(tf.Module):
    def __init__(self, lr=0.2, verbose=True):
        super().__init__()
        self.theta = tf.Variable(tf.zeros([ARMS, DIM]))
        self.lr = lr
        self.verbose = verbose

    def choose(self, context, epsilon):
        if rng.random() < epsilon:
            return int(rng.integers(ARMS))
        return int(tf.argmax(tf.linalg.matvec(self.theta, context)))

    @tf.function(jit_compile=True)
    def update(self, arm, context, reward):
        estimate = tf.reduce_sum(self.theta[arm] * context)
        error = reward - estimate
        if self.verbose:
            tf.print("arm", arm, "error", error)
        step = tf.one_hot(arm, ARMS)[:, None] * context[None, :]
        self.theta.assign_add(self.lr * error * step)
        return error


bandit = Bandit()
regret = 0.0
for t in range(30):
    context = rng.normal(size=DIM).astype("float32")
    arm = bandit.choose(tf.constant(context), epsilon=0.3)
    rewards = theta_true @ context
    bandit.update(tf.constant(arm), tf.constant(context), tf.constant(rewards[arm]))
    regret += rewards.max() - rewards[arm]
print("regret", regret)
