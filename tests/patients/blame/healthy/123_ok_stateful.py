import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(95)
BATCH = 8
rng = np.random.default_rng(95)
x = rng.normal(size=(83, 6, 1)).astype("float32")
y = x[:, -1, 0]
usable = len(x) // BATCH * BATCH

model = keras.Sequential([
    layers.Input(batch_shape=(BATCH, 6, 1)),
    layers.LSTM(6, stateful=True),
    layers.Dense(1),
])
model.compile("adam", "mse")
for epoch in range(2):
    model.fit(x[:usable], y[:usable], batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    model.layers[0].reset_states()
print(model.evaluate(x[:usable], y[:usable], batch_size=BATCH, verbose=0))
