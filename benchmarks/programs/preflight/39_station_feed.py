"""Air quality stations, fed to fit by a generator that reads one station after the other."""
import numpy as np
import keras

keras.utils.set_random_seed(39)

STATIONS = {"harbour": 6, "station_road": 6, "castle": 6, "airport": 7}  # sensors at each
PER_STATION = 5


def feed(batch_size=20):
    rng = np.random.default_rng(39)
    while True:
        for name, sensors in STATIONS.items():
            for _ in range(PER_STATION):
                values = rng.normal(size=(batch_size, sensors)).astype("float32")
                yield values, np.abs(values[:, :6]).sum(axis=1, keepdims=True)


model = keras.Sequential(
    [
        keras.layers.Dense(20, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mae")
model.fit(feed(), steps_per_epoch=PER_STATION * len(STATIONS), epochs=3, verbose=2)

values, target = next(feed())
print("mean error at the harbour", float(np.abs(model.predict(values, verbose=0) - target).mean()))
