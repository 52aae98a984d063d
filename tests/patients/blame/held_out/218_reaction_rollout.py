import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf
import numpy as np

# A -> B -> C with unknown rates, fitted through an explicit solver
N_STEPS = 30
DT = tf.constant(0.1)


class Kinetics(tf.Module):
    def __init__(self):
        super().__init__()
        self.log_k = tf.Variable([0.0, 0.0], name="log_k")

    @property
    def matrix(self):
        k1, k2 = tf.unstack(tf.exp(self.log_k))
        zero = tf.zeros_like(k1)
        return tf.stack([
            tf.stack([-k1, zero, zero]),
            tf.stack([k1, -k2, zero]),
            tf.stack([zero, k2, zero]),
        ])

    def rates(self, c):
        return tf.matmul(c, self.matrix, transpose_b=True)


def midpoint(f, c, dt):
    return c + dt * f(c + 0.5 * dt * f(c))


@tf.function
def rollout(model, c0):
    """Concentrations of every vessel over time: (vessel, time, species)."""
    history = tf.TensorArray(tf.float32, size=N_STEPS + 1)
    history = history.write(0, c0)
    c = c0
    for i in tf.range(N_STEPS):
        c = midpoint(model.rates, c, DT)
        history = history.write(i + 1, c)
    return tf.transpose(history.stack(), [1, 0])


def synthetic(c0, k=(0.8, 0.3)):
    t = np.arange(N_STEPS + 1) * 0.1
    a = c0[:, :1] * np.exp(-k[0] * t)
    b = c0[:, :1] * k[0] / (k[1] - k[0]) * (np.exp(-k[0] * t) - np.exp(-k[1] * t))
    return np.stack([a, b, c0[:, :1] - a - b], axis=-1).astype(np.float32)


start = np.zeros((5, 3), np.float32)
start[:, 0] = np.linspace(0.5, 1.5, 5)
measured = synthetic(start)

model = Kinetics()
opt = tf.keras.optimizers.Adam(0.05)
for it in range(40):
    with tf.GradientTape() as tape:
        misfit = tf.reduce_mean(tf.square(rollout(model, tf.constant(start)) - measured))
    opt.apply_gradients(zip(tape.gradient(misfit, [model.log_k]), [model.log_k]))
print("k =", tf.exp(model.log_k).numpy(), "misfit", float(misfit))
