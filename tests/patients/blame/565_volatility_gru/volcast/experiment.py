import keras
import numpy as np
import pandas as pd

from .forecaster import build_forecaster, qlike
from .market import log_rv
from .windows import Scaler, make_windows


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        frame = log_rv(cfg.data)
        self.assets = list(frame.columns)
        past, future = frame.iloc[:-cfg.test_days], frame.iloc[-cfg.test_days:]
        self.scaler = Scaler().fit(past)
        m = cfg.model
        self.train = make_windows(self.scaler.transform(past), m.lookback, m.horizon)
        self.test = make_windows(self.scaler.transform(future), m.lookback, m.horizon)

    def build(self):
        m = self.cfg.model
        model = build_forecaster(len(self.assets), m.lookback, m.horizon, m.units, m.dropout)
        model.compile(keras.optimizers.Adam(self.cfg.lr), loss=qlike)
        return model

    def run(self):
        keras.utils.set_random_seed(self.cfg.data.seed)
        model = self.build()
        model.fit(*self.train, batch_size=self.cfg.batch, epochs=self.cfg.epochs, verbose=2)
        x, y = self.test
        pred = model.predict(x, verbose=0)
        err = self.scaler.inverse(pred) - self.scaler.inverse(y)
        naive = self.scaler.inverse(np.repeat(x[:, -1:], y.shape[1], axis=1)) - self.scaler.inverse(y)
        return pd.DataFrame({
            "model": np.sqrt((err ** 2).mean(axis=(0, 1))),
            "random walk": np.sqrt((naive ** 2).mean(axis=(0, 1))),
        }, index=self.assets)
