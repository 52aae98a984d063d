import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(123)


class FeatureGate(layers.Layer):
    """Learns one soft switch per input feature."""

    def __init__(self, temperature=1.0, **kw):
        super().__init__(**kw)
        self.temperature = temperature

    def build(self, input_shape):
        n = input_shape[1]
        self.switch = self.add_weight(shape=(n,), initializer="zeros", name="switch")

    def call(self, x):
        gate = ops.sigmoid(self.switch / self.temperature)
        return x * gate

    def compute_output_shape(self, input_shape):
        return input_shape


class LoadModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.gate = FeatureGate(temperature=0.5)
        self.rnn = layers.SimpleRNN(8, unroll=True)
        self.head = layers.Dense(1)

    def call(self, x):
        return self.head(self.rnn(self.gate(x)))


rng = np.random.default_rng(123)
week = rng.normal(size=(40, 7, 10)).astype("float32")
load = week[:, :, :2].sum(axis=(1, 2))

model = LoadModel()
model.compile(optimizer="adam", loss="mse", jit_compile=True)
model.fit(week, load, batch_size=10, epochs=2, verbose=0)
print("gates", ops.sigmoid(model.gate.switch / 0.5))
