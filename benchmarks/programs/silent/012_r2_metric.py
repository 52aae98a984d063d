import numpy as np
import keras
from keras import layers, ops


class R2(keras.metrics.Metric):
    def __init__(self, name="r2", **kw):
        super().__init__(name=name, **kw)
        self.res = self.add_weight(name="res", initializer="zeros")
        self.sq = self.add_weight(name="sq", initializer="zeros")
        self.total = self.add_weight(name="total", initializer="zeros")
        self.n = self.add_weight(name="n", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = ops.squeeze(y_pred, -1)
        y_true = ops.cast(y_true, "float32")
        err = y_true - y_pred
        self.res.assign_add(ops.mean(err * err) * ops.cast(ops.shape(y_true)[0], "float32"))
        self.sq.assign_add(ops.sum(y_true * y_true))
        self.total.assign_add(ops.sum(y_true))
        self.n.assign_add(ops.cast(ops.shape(y_true)[0], "float32"))

    def result(self):
        return 1.0 - self.res / (self.sq - self.total * self.total / self.n + 1e-7)


keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(200, 4)).astype("float32")
y = (x @ np.array([[1.0], [-2.0], [0.5], [0.0]]) + 0.1 * rng.normal(size=(200, 1))).astype("float32")
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse", metrics=[R2()])
model.fit(x[:160], y[:160], epochs=20, batch_size=40, verbose=0)
report = model.evaluate(x[160:], y[160:], batch_size=40, verbose=0, return_dict=True)
print({k: round(float(v), 4) for k, v in report.items()})
