"""Learn the dynamics of a double pendulum from (q, qdot) with a Lagrangian network."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, Sequential, optimizers

DOF = 2
lagrangian = Sequential([
    layers.Input((2 * DOF,)),
    layers.Dense(16, activation="softplus"),
    layers.Dense(16, activation="softplus"),
    layers.Dense(1),
])


def derivatives(q, qdot):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([q, qdot])
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([q, qdot])
            L = lagrangian(tf.concat([q, qdot], axis=1))
        dL_dq = inner.gradient(L, q)
        dL_dv = inner.gradient(L, qdot)
    mass = outer.batch_jacobian(dL_dv, qdot)
    coriolis = outer.jacobian(dL_dv, q)
    return dL_dq, mass, coriolis


def acceleration(q, qdot):
    dL_dq, mass, coriolis = derivatives(q, qdot)
    force = dL_dq - tf.einsum("bij,bj->bi", coriolis, qdot)
    mass = mass + 0.1 * tf.eye(DOF)
    return tf.linalg.solve(mass, force[..., None])[..., 0]


def true_acceleration(q, v):
    d = q[:, 0] - q[:, 1]
    a0 = -9.8 * np.sin(q[:, 0]) - 0.5 * v[:, 1] ** 2 * np.sin(d)
    a1 = -9.8 * np.sin(q[:, 1]) + 0.5 * v[:, 0] ** 2 * np.sin(d)
    return np.stack([a0, a1], 1)


rng = np.random.RandomState(10)
q = rng.uniform(-1, 1, (64, DOF)).astype("float32")
v = rng.uniform(-1, 1, (64, DOF)).astype("float32")
a = true_acceleration(q, v).astype("float32")

opt = optimizers.Adam(1e-3)
for it in range(4):
    rows = rng.choice(64, 16, replace=False)
    with tf.GradientTape() as tape:
        guess = acceleration(tf.constant(q[rows]), tf.constant(v[rows]))
        loss = tf.reduce_mean(tf.square(guess - a[rows]))
    g = tape.gradient(loss, lagrangian.trainable_variables)
    opt.apply_gradients([(gi, w) for gi, w in zip(g, lagrangian.trainable_variables) if gi is not None])
    print(it, float(loss))
