"""Stateful GRU over long turbine recordings, 10 turbines side by side."""
import numpy as np
from tensorflow import keras

keras.utils.set_random_seed(31)

TURBINES = 10
CHUNK = 25
rng = np.random.default_rng(31)
power = np.cumsum(rng.normal(0, 0.1, size=(TURBINES, CHUNK * 8 + 1)), axis=1).astype("float32")

model = keras.Sequential(
    [
        keras.Input(batch_shape=(TURBINES, CHUNK, 1)),
        keras.layers.GRU(12, return_sequences=True, stateful=True),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")

for epoch in range(2):
    losses = []
    for k in range(8):
        window = power[:, k * CHUNK : (k + 1) * CHUNK, None]
        target = power[:, k * CHUNK + 1 : (k + 1) * CHUNK + 1, None]
        h = model.fit(window, target, batch_size=TURBINES, epochs=1, shuffle=False, verbose=0)
        losses.append(h.history["loss"][0])
    model.layers[0].reset_states() if hasattr(model.layers[0], "reset_states") else model.layers[0].reset_state()
    print(f"epoch {epoch}: {np.mean(losses):.4f}")

# continue the recording of the three turbines in the east field
east = power[:3, -CHUNK:, None]
future = model.predict(east, verbose=0)
print("next values", future[:, -1, 0])
