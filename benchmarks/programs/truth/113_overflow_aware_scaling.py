"""Loss scaling in float16: overflows are part of the algorithm."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(2)


class Scaler:
    def __init__(self, scale=2.0 ** 24, growth=5):
        self.scale, self.growth, self.good, self.overflows = scale, growth, 0, 0

    def update(self, finite):
        if finite:
            self.good += 1
            if self.good % self.growth == 0:
                self.scale *= 2.0
        else:
            self.overflows += 1
            self.scale /= 4.0
            print(f"inf in gradients, step skipped, scale now {self.scale:g}")


@tf.function(jit_compile=True)
def scaled_gradient(w, x, y, scale):
    half = tf.cast(w, tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(half)
        error = tf.cast(tf.linalg.matvec(x, half) - y, tf.float32)
        loss = tf.reduce_mean(error ** 2)
        scaled = loss * scale
    gradient = tf.cast(tape.gradient(scaled, half), tf.float32) / scale
    return loss, gradient, tf.reduce_all(tf.math.is_finite(gradient))


rng = np.random.default_rng(2)
x = tf.constant(rng.normal(size=(64, 4)), tf.float16)
y = tf.linalg.matvec(x, tf.constant([1, 2, -1, 0.5], tf.float16))
w, scaler, losses = tf.Variable(tf.zeros([4])), Scaler(), []
for _ in range(40):
    loss, gradient, finite = scaled_gradient(w, x, y, tf.constant(scaler.scale))
    if finite:
        w.assign_sub(0.1 * gradient)
    scaler.update(bool(finite))
    losses.append(float(loss))
assert losses[-1] < 0.1 * losses[0] and scaler.overflows > 0
print("loss", round(losses[0], 3), "->", round(losses[-1], 4), "overflows", scaler.overflows)
