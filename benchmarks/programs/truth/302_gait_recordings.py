"""Classifies walking, running and limping from ankle accelerometers of three brands."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

GAITS = ("walk", "run", "limp")
SECONDS = 2.0
TARGET_HZ = 32
BATCH = 24
BRAND_HZ = {"alpha": 32, "kinetik": 64, "stepwise": 50}


class Recording:
    def __init__(self, brand, gait, rng):
        self.brand, self.gait = brand, gait
        self.hz = BRAND_HZ[brand]
        t = np.arange(int(SECONDS * self.hz)) / self.hz
        f = {"walk": 1.8, "run": 2.9, "limp": 1.4}[gait] + rng.normal(0, 0.1)
        wave = np.sin(2 * np.pi * f * t) + (0.6 * np.sin(np.pi * f * t) if gait == "limp" else 0)
        gains = rng.uniform(0.7, 1.3, 3)
        self.samples = (wave[:, None] * gains + rng.normal(0, 0.2, (t.size, 3))).astype("float32")


def resample(rec):
    """Brings a recording to TARGET_HZ by averaging neighbours."""
    k = rec.hz // TARGET_HZ
    if k <= 1:
        return rec.samples
    usable = len(rec.samples) // k * k
    return rec.samples[:usable].reshape(-1, k, 3).mean(1)


def normalise(x):
    return (x - x.mean(0)) / (x.std(0) + 1e-6)


def recordings(n, seed, share=(0.6, 0.38, 0.02)):
    rng = np.random.default_rng(seed)
    brands = rng.choice(list(BRAND_HZ), n, p=share)
    return [Recording(b, GAITS[rng.integers(len(GAITS))], rng) for b in brands]


def dataset(recs, shuffle):
    def gen():
        for r in recs:
            yield normalise(resample(r)), GAITS.index(r.gait)

    ds = tf.data.Dataset.from_generator(
        gen, output_signature=(tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.int32)))
    ds = ds.cache()
    if shuffle:
        ds = ds.shuffle(256, seed=0)
    return ds.batch(BATCH).prefetch(tf.data.AUTOTUNE)


def build():
    net = tf.keras.Sequential([
        tf.keras.Input((None, 3)),
        layers.Conv1D(12, 7, padding="same", activation="relu"),
        layers.MaxPooling1D(2),
        layers.Conv1D(24, 5, padding="same", activation="relu"),
        layers.GlobalAveragePooling1D(),
        layers.Dropout(0.2),
        layers.Dense(len(GAITS), activation="softmax"),
    ])
    net.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return net


def main():
    tf.keras.utils.set_random_seed(6)
    recs = recordings(600, seed=0)
    cut = 480
    net = build()
    net.fit(dataset(recs[:cut], True), epochs=3, validation_data=dataset(recs[cut:], False), verbose=2)
    print("accuracy:", net.evaluate(dataset(recs[cut:], False), verbose=0)[1])


if __name__ == "__main__":
    main()
