import numpy as np
import tensorflow as tf

# Predicts the next lift of a 16-shaft loom from the lifts before. State is carried by hand.

THREADS = 16
STEPS = 12
BATCH = 32
HIDDEN = 24


def drafts(n=230, seed=6):
    rng = np.random.default_rng(seed)
    out = np.zeros((n, STEPS + 1, THREADS), np.float32)
    for i in range(n):
        twill, start = rng.integers(2, 6), rng.integers(0, THREADS)
        for t in range(STEPS + 1):
            out[i, t, (start + t + np.arange(twill)) % THREADS] = 1.0
    return out.reshape(n, -1)


class Weaver(tf.Module):
    def __init__(self):
        super().__init__(name="weaver")
        g = tf.random.Generator.from_seed(40)
        self.wx = tf.Variable(0.2 * g.normal([THREADS, HIDDEN]))
        self.wh = tf.Variable(0.2 * g.normal([HIDDEN, HIDDEN]))
        self.wo = tf.Variable(0.2 * g.normal([HIDDEN, THREADS]))

    def unfold(self, flat):
        return tf.reshape(flat, [BATCH, STEPS + 1, THREADS])

    def loss(self, flat):
        lifts = self.unfold(flat)
        h = tf.zeros([BATCH, HIDDEN])
        total = 0.0
        for t in range(STEPS):
            h = tf.tanh(lifts[:, t] @ self.wx + h @ self.wh)
            total += tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=lifts[:, t + 1], logits=h @ self.wo))
        return total / STEPS


weaver = Weaver()


@tf.function(jit_compile=True)
def step(flat, rate):
    with tf.GradientTape() as tape:
        loss = weaver.loss(flat)
    for v, g in zip(weaver.trainable_variables, tape.gradient(loss, weaver.trainable_variables)):
        v.assign_sub(rate * g)
    return loss


data = tf.data.Dataset.from_tensor_slices(drafts()).batch(BATCH)
for epoch in range(2):
    seen = 0
    for flat in data:
        loss = step(flat, tf.constant(0.5))
        seen += flat.shape[0]
        print(f"epoch {epoch} seen {seen:4d} loss {loss.numpy():.4f}")
