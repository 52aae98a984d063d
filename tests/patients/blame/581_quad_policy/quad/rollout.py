import tensorflow as tf


class Cost:
    def __init__(self, q, r):
        self.q = tf.constant(q, tf.float32)
        self.r = tf.constant(r, tf.float32)

    def stage(self, x, u):
        return tf.reduce_sum(self.q * tf.square(x), -1) + tf.reduce_sum(self.r * tf.square(u), -1)

    def terminal(self, x):
        return 5.0 * tf.reduce_sum(self.q * tf.square(x), -1)


def rollout(plant, policy, cost, x, steps):
    total = 0.0
    for _ in range(steps):
        u = policy(x)
        total += cost.stage(x, u)
        x = plant.step(x, u)
    return (total + cost.terminal(x)) / steps, x


def disturbed(plant, policy, x, steps, sigma, seed):
    """Closed loop with velocity gusts, returns the position trace."""
    g = tf.random.Generator.from_seed(seed)
    trace = []
    for _ in range(steps):
        gust = tf.concat([tf.zeros([x.shape[0], 3]), sigma * g.normal([x.shape[0], 3])], axis=1)
        x = plant.step(x, policy(x)) + gust
        trace.append(x[:, :2])
    return tf.stack(trace, axis=1)
