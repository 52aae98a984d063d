import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(5)

CONFIG = {"epochs_per_night": 12, "bands": 6, "stages": 4, "units": 16, "dropout": 0.1}


class SleepStager:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = keras.Sequential(name="stager")
        self.model.add(layers.Input((cfg["epochs_per_night"], cfg["bands"])))
        self.model.add(layers.LSTM(cfg["units"], return_sequences=True))
        self.model.add(layers.Dropout(cfg["dropout"]))
        self.model.add(layers.LSTM(cfg["units"]))
        self.model.add(layers.Dense(cfg["stages"], activation="softmax"))
        self.model.compile(optimizer=keras.optimizers.Adam(1e-3),
                           loss=keras.losses.CategoricalCrossentropy())

    def train(self, nights, stages):
        return self.model.fit(nights, stages, batch_size=8, epochs=1, verbose=0)

    def hypnogram(self, night):
        return self.model.predict(night[None], verbose=0)[0].argmax(-1)


def band_power(n_nights):
    rng = np.random.default_rng(5)
    stage = rng.integers(0, CONFIG["stages"], (n_nights, CONFIG["epochs_per_night"]))
    power = rng.normal(size=stage.shape + (CONFIG["bands"],)) + stage[..., None] * 0.5
    return power.astype("float32"), keras.utils.to_categorical(stage, CONFIG["stages"])


power, stage = band_power(32)
stager = SleepStager(CONFIG)
stager.train(power, stage)
print(stager.hypnogram(power[0]))
