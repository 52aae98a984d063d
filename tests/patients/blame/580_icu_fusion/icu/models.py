import keras
from keras import layers

from .fusion import EarlyFusion, LateFusion


class RiskModel(keras.Model):
    def __init__(self, units=16, mode="both", dropout=0.1):
        super().__init__()
        if mode not in ("early", "late", "both"):
            raise ValueError(mode)
        self.mode = mode
        self.early = EarlyFusion()
        self.rnn = layers.LSTM(units)
        self.late = LateFusion(units)
        self.drop = layers.Dropout(dropout)
        self.out = layers.Dense(1, activation="sigmoid")

    def call(self, inputs, training=None):
        seq, static = inputs["vitals"], inputs["static"]
        if self.mode in ("early", "both"):
            seq = self.early(seq, static)
        h = self.drop(self.rnn(seq), training=training)
        if self.mode in ("late", "both"):
            h = self.late(h, static)
        return self.out(h)
