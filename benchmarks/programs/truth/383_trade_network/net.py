import keras
import tensorflow as tf

from aggregate import KINDS


class Hop(keras.layers.Layer):
    def __init__(self, trade, units, kind, **kw):
        super().__init__(**kw)
        self.trade, self.gather = trade, KINDS[kind]
        self.own = keras.layers.Dense(units)
        self.near = keras.layers.Dense(units, use_bias=False)

    def call(self, rows):
        return tf.nn.relu(self.own(rows) + self.gather(self.near(rows), self.trade))


class TradeNet(keras.Model):
    def __init__(self, trade, units=16, classes=2, kind="sum", **kw):
        super().__init__(**kw)
        self.hops = [Hop(trade, units, kind), Hop(trade, units, kind)]
        self.out = keras.layers.Dense(classes)

    def call(self, rows):
        for hop in self.hops:
            rows = hop(rows)
        return self.out(rows)
