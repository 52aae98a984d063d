"""Joint model of greenhouse humidity and ventilation from sensor tables.

Two inputs (outside weather, actuator settings), two outputs (humidity in %, vents open or not).
"""
import functools
import os

os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model, layers

WEATHER_COLS = ["out_temp", "out_hum", "wind", "sun"]
ACTUATOR_COLS = ["screen", "heating", "mist"]
ROWS = 1500


def sensor_table(n=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    cols = {c: rng.normal(size=n).astype("float32") for c in WEATHER_COLS}
    cols |= {c: rng.uniform(0, 1, n).astype("float32") for c in ACTUATOR_COLS}
    cols["hum"] = (65 + 6 * cols["out_hum"] - 3 * cols["out_temp"] + 9 * cols["mist"]).astype("float32")
    cols["vent"] = (cols["hum"] + 2 * cols["sun"] > 69).astype("float32")
    return cols


def group(row, scale_hum=0.01):
    """One row of the table -> (inputs, targets)."""
    inputs = {
        "weather": tf.stack([row[c] for c in WEATHER_COLS]),
        "actuators": tf.stack([row[c] for c in ACTUATOR_COLS]),
    }
    targets = {"hum": row["hum"][None] * scale_hum, "vents": row["vent"][None]}
    return inputs, targets


def dataset(cols, lo, hi, training):
    part = {k: v[lo:hi] for k, v in cols.items()}
    ds = tf.data.Dataset.from_tensor_slices(part)
    if training:
        ds = ds.shuffle(1000, seed=0, reshuffle_each_iteration=True)
    return ds.map(functools.partial(group, scale_hum=0.01), num_parallel_calls=2).batch(50).prefetch(2)


def climate_model(width=16):
    weather = Input((len(WEATHER_COLS),), name="weather")
    actuators = Input((len(ACTUATOR_COLS),), name="actuators")
    a = layers.Dense(width, activation="relu")(weather)
    b = layers.Dense(width, activation="relu")(actuators)
    h = layers.Dense(width, activation="relu")(layers.concatenate([a, b]))
    humidity = layers.Dense(1, name="humidity")(h)
    vents = layers.Dense(1, activation="sigmoid", name="vents")(h)
    return Model(
        inputs={"weather": weather, "actuators": actuators},
        outputs={"humidity": humidity, "vents": vents},
    )


def main():
    tf.keras.utils.set_random_seed(17)
    cols = sensor_table()
    model = climate_model()
    model.compile(
        optimizer="adam",
        loss={"humidity": "mse", "vents": "binary_crossentropy"},
        loss_weights={"humidity": 2.0, "vents": 1.0},
        metrics={"vents": ["accuracy"]},
    )
    train = dataset(cols, 0, 1200, True)
    val = dataset(cols, 1200, ROWS, False)
    for inputs, targets in val.take(1):
        print({k: v.shape for k, v in inputs.items()}, {k: v.shape for k, v in targets.items()})
    model.fit(train, validation_data=val, epochs=3, verbose=2)
    print(model.evaluate(val, verbose=0, return_dict=True))


if __name__ == "__main__":
    main()
