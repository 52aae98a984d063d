"""Simulate two workers on one host with logical devices."""
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration() for _ in range(2)])
WORKER, STORE = [d.name for d in tf.config.list_logical_devices("CPU")]


class ParameterStore(tf.Module):
    def __init__(self, dim):
        super().__init__()
        with tf.device(STORE):
            self.w = tf.Variable(tf.zeros([dim]), name="weights")


@tf.function(jit_compile=True)
def squared_error(w, x, y):
    return tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)


class Worker:
    def __init__(self, store, lr=0.1):
        self.store = store
        self.lr = lr

    @tf.function(jit_compile=True)
    def gradient(self, x, y):
        with tf.GradientTape() as tape:
            loss = squared_error(self.store.w, x, y)
        return loss, tape.gradient(loss, self.store.w)

    def run(self, x, y):
        with tf.device(WORKER):
            loss, grad = self.gradient(x, y)
        self.store.w.assign_sub(self.lr * grad)
        return float(loss)


rng = np.random.default_rng(3)
x = tf.constant(rng.normal(size=(40, 3)), tf.float32)
y = tf.linalg.matvec(x, tf.constant([1.0, -1.0, 0.5]))
worker = Worker(ParameterStore(3))
print([round(worker.run(x, y), 3) for _ in range(3)])
