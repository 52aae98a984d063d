import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tempfile
from pathlib import Path
import numpy as np
import pandas as pd
import tensorflow as tf

LEADS = ["I", "II", "III", "aVR", "aVL", "aVF"] + [f"V{i}" for i in range(1, 7)]
SAMPLES = 100


def export_patients(folder, count=20):
    """What the recorder writes: one csv per patient, time stamp first."""
    r = np.random.RandomState(5)
    t = np.arange(SAMPLES) / 250.0
    for k in range(count):
        beat = np.sin(2 * np.pi * (1 + 0.2 * (k % 2)) * t)
        data = beat[:, None] * r.uniform(0.5, 1.5, len(LEADS)) + 0.1 * r.randn(SAMPLES, len(LEADS))
        frame = pd.DataFrame(data, columns=LEADS)
        frame.insert(0, "time_s", t)
        frame.to_csv(folder / f"p{k:03d}_{'af' if k % 2 else 'sr'}.csv", index=False)


def read_patient(path):
    ecg = pd.read_csv(path)
    ecg = (ecg - ecg.mean()) / (ecg.std() + 1e-8)
    return ecg.to_numpy("float32")


def residual(x, f):
    y = tf.keras.layers.Conv1D(f, 7, padding="same")(x)
    y = tf.keras.layers.BatchNormalization()(y)
    y = tf.keras.layers.Activation("relu")(y)
    y = tf.keras.layers.Conv1D(f, 7, padding="same")(y)
    return tf.keras.layers.Add()([tf.keras.layers.Conv1D(f, 1)(x), y])


def rhythm_net():
    i = tf.keras.layers.Input(shape=(SAMPLES, len(LEADS)), name="ecg")
    x = residual(i, 12)
    x = tf.keras.layers.MaxPooling1D(4)(x)
    x = residual(x, 16)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(i, tf.keras.layers.Dense(1, activation="sigmoid")(x))


with tempfile.TemporaryDirectory() as tmp:
    tmp = Path(tmp)
    export_patients(tmp)
    files = sorted(tmp.glob("*.csv"))
    signals = np.stack([read_patient(f) for f in files])
    fibrillation = np.array([f.stem.endswith("af") for f in files], dtype="float32")

net = rhythm_net()
net.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
net.fit(signals, fibrillation, batch_size=5, epochs=2, validation_split=0.25, verbose=0)
print("trained on", signals.shape)
