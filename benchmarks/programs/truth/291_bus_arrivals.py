"""Predicts bus delays from stop-by-stop records of trips."""
import math

import numpy as np
import tensorflow as tf
from tensorflow import keras

ROUTES = ["4", "12", "12X", "31"]
STOPS_KEPT = 6


def gps_distance(a, b):
    """Kilometres between two (lat, lon) pairs in degrees."""
    (la, lo), (lb, lp) = np.radians(a), np.radians(b)
    h = math.sin((lb - la) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin((lp - lo) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(h))


class TripArchive:
    """Trips of one day; a trip is a list of (lat, lon, scheduled_s, actual_s)."""

    def __init__(self, trips=260, seed=0):
        rng = np.random.default_rng(seed)
        self.trips = []
        for k in range(trips):
            route = int(rng.integers(len(ROUTES)))
            stops = int(rng.integers(STOPS_KEPT, 12))
            lat, lon = 52.5, 13.4
            when, late = 6 * 3600 + 240 * k, 0.0
            rows = []
            for s in range(stops):
                rows.append((lat, lon, when, when + late))
                lat += rng.uniform(0.002, 0.006)
                lon += rng.uniform(-0.004, 0.004)
                hop = float(rng.integers(60, 200))
                if route == 2 and s in (2, 3):  # the express does not stop here
                    hop = 0.0
                when += hop
                late = max(0.0, late + rng.normal(4, 15))
            self.trips.append((route, rows))

    def __len__(self):
        return len(self.trips)


def speed_kmh(prev, cur):
    return gps_distance(prev[:2], cur[:2]) / ((cur[2] - prev[2]) / 3600.0)


def features(route, rows):
    rows = rows[:STOPS_KEPT]
    out = []
    for prev, cur in zip(rows[:-2], rows[1:-1]):
        out.append([speed_kmh(prev, cur) / 30.0, (cur[3] - cur[2]) / 60.0, (cur[2] % 86400) / 86400.0])
    target = (rows[-1][3] - rows[-1][2]) / 60.0
    return (np.array(out, "float32"), np.int32(route)), np.float32(target)


def stream(archive, start, stop):
    def gen():
        for route, rows in archive.trips[start:stop]:
            (hist, r), y = features(route, rows)
            yield {"history": hist, "route": r}, y

    sig = (
        {"history": tf.TensorSpec((STOPS_KEPT - 2, 3), tf.float32), "route": tf.TensorSpec((), tf.int32)},
        tf.TensorSpec((), tf.float32),
    )
    return tf.data.Dataset.from_generator(gen, output_signature=sig).batch(16).prefetch(2)


def make_model():
    hist = keras.Input((STOPS_KEPT - 2, 3), name="history")
    route = keras.Input((), dtype="int32", name="route")
    h = keras.layers.LSTM(12)(hist)
    e = keras.layers.Embedding(len(ROUTES), 3)(route)
    z = keras.layers.Concatenate()([h, e])
    out = keras.layers.Dense(1)(keras.layers.Dense(12, activation="relu")(z))
    model = keras.Model({"history": hist, "route": route}, out)
    model.compile("adam", "mae", jit_compile=False)
    return model


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    archive = TripArchive()
    print(len(archive), "trips")
    model = make_model()
    model.fit(stream(archive, 0, 200), validation_data=stream(archive, 200, 260), epochs=2, verbose=2)
    print("mae [min]:", round(model.evaluate(stream(archive, 200, 260), verbose=0), 3))
