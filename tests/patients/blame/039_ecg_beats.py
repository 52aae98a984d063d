import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(67)
BATCH, STEPS, CHANNELS = 10, 16, 5


def ecg_beats(n):
    rng = np.random.default_rng(67)
    phase = rng.uniform(0, 2 * np.pi, (n, 1, CHANNELS))
    t = np.linspace(0, 6, STEPS)[None, :, None]
    beats = np.sin(t + phase) + rng.normal(0, .1, (n, STEPS, CHANNELS))
    arrhythmia = (phase.mean(axis=(1, 2)) > np.pi).astype("float32")
    return beats.astype("float32"), arrhythmia


def build_model():
    trace = keras.Input(shape=(BATCH, STEPS, CHANNELS), name="trace")
    x = layers.LayerNormalization()(trace)
    x = layers.Dense(12, activation="relu")(x)
    x = layers.Dropout(0.2)(x)
    x = layers.LSTM(10)(x)
    risk = layers.Dense(1, activation="sigmoid", name="risk")(x)
    return keras.Model(trace, risk)


beats, arrhythmia = ecg_beats(60)
model = build_model()
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["AUC"])
model.fit(beats, arrhythmia, batch_size=BATCH, epochs=1, verbose=0)
print(model.predict(beats[:BATCH], verbose=0).ravel().round(3))
