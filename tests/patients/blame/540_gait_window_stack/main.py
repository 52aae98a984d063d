import numpy as np
import tensorflow as tf

from windows import sliding_windows, standardise

WINDOW = 25
HOP = 10
CHANNELS = 6


def walk(subject, steps=140):
    rng = np.random.default_rng(subject)
    phase = np.linspace(0, 14 * np.pi, steps)[:, None] * (1 + 0.1 * subject)
    return (np.sin(phase + np.arange(CHANNELS)) + rng.normal(0, 0.1, (steps, CHANNELS))).astype("float32")


def collect(subjects):
    xs, ys = [], []
    for s in subjects:
        w = sliding_windows(standardise(tf.constant(walk(s))), WINDOW, HOP)
        xs.append(w)
        ys.append(tf.fill([w.shape[0]], s))
    return tf.concat(xs, 0), tf.concat(ys, 0)


x, y = collect(range(3))
net = tf.keras.Sequential([
    tf.keras.layers.Conv1D(8, 5, activation="relu"),
    tf.keras.layers.GlobalMaxPooling1D(),
    tf.keras.layers.Dense(3),
])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
opt = tf.keras.optimizers.Adam(0.01)
for epoch in range(2):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, net(x))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    print(epoch, x.shape, float(loss))
