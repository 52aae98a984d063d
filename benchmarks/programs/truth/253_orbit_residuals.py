"""Learn the residual acceleration of satellites from tracking arcs, checked against an energy budget."""
import collections

import numpy as np
import tensorflow as tf

Arc = collections.namedtuple("Arc", "name time state")
KEEP = 40
EPOCHS = 2


def propagate(a, ecc, points, rng):
    m = np.linspace(0, 4 * np.pi, points)
    e = m + ecc * np.sin(m) + 0.5 * ecc ** 2 * np.sin(2 * m)
    pos = np.stack([a * (np.cos(e) - ecc), a * np.sqrt(1 - ecc ** 2) * np.sin(e), 0 * e], -1)
    vel = np.gradient(pos, m, axis=0)
    return m, np.concatenate([pos, vel], -1) + rng.normal(0, 1e-4, (points, 6))


def tracking():
    rng = np.random.default_rng(77)
    for i in range(6):
        m, state = propagate(rng.uniform(1.0, 1.3), rng.uniform(0, 0.1), KEEP, rng)
        yield Arc(f"leo-{i}", m, state)
    m, state = propagate(2.0, 0.3, KEEP, rng)
    yield Arc("gto-0", m, state)


def thin(arc, every):
    return arc._replace(time=arc.time[::every], state=arc.state[::every])


def pairs(arc):
    dt = np.diff(arc.time)[:, None]
    accel = np.diff(arc.state[:, 3:], axis=0) / dt
    radius = np.linalg.norm(arc.state[:-1, :3], axis=-1, keepdims=True)
    return np.hstack([arc.state[:-1], radius]), accel


def scale(columns):
    low, high = columns.min(0), columns.max(0)
    return (columns - low) / (high - low)


def require_finite(name, tensor):
    share = float(tf.reduce_mean(tf.cast(tf.math.is_finite(tensor), tf.float32)))
    if share < 1.0:
        raise ValueError(f"{name}: only {share:.3f} of {tensor.shape} values are finite")
    return tensor


def dataset(arcs):
    xs, ys = zip(*(pairs(a) for a in arcs))
    x = scale(np.concatenate(xs)[:, :]).astype("float32")
    y = np.concatenate(ys).astype("float32")
    return x, y


@tf.function
def update(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def main():
    arcs = [thin(a, 2) for a in tracking() if a.name.startswith("leo")]
    for arc in arcs[:2]:
        print(arc.name, arc.state.shape)
    np.seterr(all="ignore")
    x, y = dataset([a._replace(state=a.state * [1, 1, 0, 1, 1, 0]) for a in arcs])
    model = tf.keras.Sequential([tf.keras.layers.Dense(24, "tanh"), tf.keras.layers.Dense(3)])
    model.build((None, x.shape[1]))
    optimizer = tf.keras.optimizers.Adam(1e-2)
    for epoch in range(EPOCHS):
        losses = []
        for start in range(0, len(x), 32):
            batch = tf.constant(x[start:start + 32]), tf.constant(y[start:start + 32])
            losses.append(update(model, optimizer, *batch))
        print("epoch", epoch, "loss", np.round(losses[-1].numpy(), 5))
        require_finite("predicted acceleration", model(x[:64]))


if __name__ == "__main__":
    main()
