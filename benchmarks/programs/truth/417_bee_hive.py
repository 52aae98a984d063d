"""Swarm alarm from hive microphones: streaming log-band energies into a small GRU."""
import numpy as np
import tensorflow as tf

RATE = 2000
CLIP = 1.5          # seconds
FRAME = 256
BANDS = 20
BATCH = 8


def clip(rng, swarming):
    t = np.arange(int(RATE * CLIP)) / RATE
    pitch = 400 if swarming else 250
    x = np.sin(2 * np.pi * (pitch + rng.normal(0, 10)) * t)
    if rng.random() < 0.1:
        # the recorder of hive 3 stops early when its battery is low
        x = x[: int(len(x) * 0.8)]
    return x + rng.normal(0, 0.4, len(x))


def energies(x):
    n = len(x) // FRAME
    frames = x[: n * FRAME].reshape(n, FRAME)
    spec = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1))[:, 1:]
    bands = spec[:, : spec.shape[1] // BANDS * BANDS].reshape(n, BANDS, -1).sum(-1)
    return np.log1p(bands).astype(np.float32)


class Hives:
    def __init__(self, clips, seed):
        self.clips, self.seed = clips, seed
        self.frames = int(RATE * CLIP) // FRAME

    def __call__(self):
        rng = np.random.default_rng(self.seed)
        for i in range(self.clips):
            y = int(rng.random() < 0.5)
            yield energies(clip(rng, y)), y

    def dataset(self):
        sig = (
            tf.TensorSpec((self.frames, BANDS), tf.float32),
            tf.TensorSpec((), tf.int32),
        )
        return tf.data.Dataset.from_generator(self, output_signature=sig)


def build(frames):
    return tf.keras.Sequential([
        tf.keras.Input((frames, BANDS)),
        tf.keras.layers.GRU(16),
        tf.keras.layers.Dense(1),
    ])


def main():
    tf.keras.utils.set_random_seed(0)
    hives = Hives(80, seed=3)
    model = build(hives.frames)
    model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
    ds = hives.dataset().cache().shuffle(80, seed=1).batch(BATCH).prefetch(1)
    h = model.fit(ds, epochs=2, verbose=2)
    print("loss", [round(v, 3) for v in h.history["loss"]])


if __name__ == "__main__":
    main()
