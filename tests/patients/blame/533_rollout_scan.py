"""Roll a small dynamics model forward inside a graph."""
import tensorflow as tf

STATE = 12
CONTROL = 3
HORIZON = 7


class Dynamics(tf.Module):
    def __init__(self):
        super().__init__()
        init = tf.random_normal_initializer(stddev=0.2)
        self.a = tf.Variable(init([STATE, STATE]))
        self.b = tf.Variable(init([CONTROL, STATE]))
        self.c = tf.Variable(tf.zeros([STATE]))

    def step(self, s, u):
        return tf.tanh(s @ self.a + u @ self.b + self.c)

    @tf.function
    def rollout(self, controls):
        s = tf.zeros([1, STATE])
        cost = tf.zeros([])
        for t in tf.range(HORIZON):
            s = self.step(s, controls[:, t])
            cost += tf.reduce_mean(tf.square(s))
        return s, cost


def optimise(model, controls, steps=3, lr=0.1):
    for i in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(controls)
            final, cost = model.rollout(controls)
        controls = controls - lr * tape.gradient(cost, controls)
        print("step", i, "cost", float(cost))
    return controls


if __name__ == "__main__":
    tf.random.set_seed(0)
    u0 = tf.random.normal([5, HORIZON, CONTROL])
    optimise(Dynamics(), u0)
