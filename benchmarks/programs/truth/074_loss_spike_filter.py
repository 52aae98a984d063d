"""Skip updates whose loss is not finite (a corrupt batch is injected)."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(19)


class GuardedTrainer:
    def __init__(self):
        self.w = tf.Variable(tf.zeros([3, 1]))
        self.skipped = 0
        self.history = []

    @tf.function(jit_compile=True)
    def gradient(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ self.w - y) ** 2)
        return loss, tape.gradient(loss, self.w)

    def step(self, x, y):
        loss, grad = self.gradient(x, y)
        self.history.append(float(loss))
        if not np.isfinite(self.history[-1]):
            self.skipped += 1
            print("loss", self.history[-1], "- update skipped")
            return
        self.w.assign_sub(0.1 * grad)


rng = np.random.default_rng(19)
trainer = GuardedTrainer()
for i in range(25):
    x = rng.normal(size=(16, 3)).astype("float32")
    y = x @ np.array([[1.0], [2.0], [3.0]], "float32")
    if i == 7:
        x[0, 0] = np.inf
    if i == 12:
        y[3] = np.nan
    trainer.step(tf.constant(x), tf.constant(y))
assert trainer.skipped == 2 and np.isfinite(trainer.w.numpy()).all()
print("final loss", round(trainer.history[-1], 5), "skipped", trainer.skipped)
