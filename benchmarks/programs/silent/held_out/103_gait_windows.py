"""Classify walking recordings from overlapping windows, one verdict each."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(11)
rng = np.random.default_rng(11)

WINDOW, HOP, SAMPLES = 32, 16, 96
PER_RECORDING = (SAMPLES - WINDOW) // HOP + 1


def record(limp):
    t = np.arange(SAMPLES)
    step = np.sin(2 * np.pi * t / 16)
    if limp:
        step = np.where(t % 32 < 16, step, 0.3 * step)
    return step + rng.normal(0, 0.35, SAMPLES)


def cut(recording):
    return np.stack([recording[i * HOP:i * HOP + WINDOW] for i in range(PER_RECORDING)])


def collect(count):
    labels = rng.integers(0, 2, count)
    walks = [record(flag) for flag in labels]
    windows = np.concatenate([cut(w) for w in walks]).astype("float32")
    return windows[..., None], labels


train_w, train_l = collect(60)
test_w, test_l = collect(40)

model = tf.keras.Sequential([
    tf.keras.Input((WINDOW, 1)),
    tf.keras.layers.Conv1D(8, 9, activation="relu"),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy")
model.fit(train_w, np.repeat(train_l, PER_RECORDING)[:, None],
          epochs=8, batch_size=50, verbose=0)

scores = model.predict(test_w, batch_size=50, verbose=0)
verdicts = scores.mean(axis=-1)

right = sum(int((v > 0.5) == bool(t)) for v, t in zip(verdicts, test_l))
print("recordings judged:", len(test_l))
print(f"accuracy {right / len(test_l):.3f}")
