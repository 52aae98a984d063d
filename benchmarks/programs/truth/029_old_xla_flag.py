"""Compiled N-body step with fast-math wanted."""
import os

FLAGS = [
    "--xla_cpu_enable_fast_math=true",
    "--xla_cpu_use_thunk_scheduler=fast",
]
os.environ["XLA_FLAGS"] = " ".join(FLAGS)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

import numpy as np
import tensorflow as tf

G, EPS = 1.0, 1e-2


@tf.function(jit_compile=True)
def accelerations(pos, mass):
    delta = pos[None, :, :] - pos[:, None, :]
    dist2 = tf.reduce_sum(delta ** 2, axis=-1) + EPS
    return G * tf.reduce_sum(delta * (mass[None, :] * dist2 ** -1.5)[..., None], axis=1)


def leapfrog(pos, vel, mass, dt, steps):
    for _ in range(steps):
        vel = vel + 0.5 * dt * accelerations(pos, mass)
        pos = pos + dt * vel
        vel = vel + 0.5 * dt * accelerations(pos, mass)
    return pos, vel


rng = np.random.default_rng(0)
pos = tf.constant(rng.normal(size=(12, 3)), tf.float32)
vel = tf.zeros_like(pos)
mass = tf.ones([12]) / 12
pos, vel = leapfrog(pos, vel, mass, 0.01, 10)
print("momentum", tf.reduce_sum(vel, axis=0).numpy().round(5))
