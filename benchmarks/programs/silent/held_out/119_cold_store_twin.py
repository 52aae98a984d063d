"""Spoilage in a cold store; trained on a mixed year, used in a warm week."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(67)
rng = np.random.default_rng(67)


def samples(n, warm_share):
    warm = rng.random(n) < warm_share
    degrees = np.where(warm, rng.normal(9.0, 1.0, n), rng.normal(3.0, 1.0, n))
    humidity = rng.normal(70.0, 5.0, n)
    spoiled = (degrees > 6.0).astype("float32")
    return np.stack([degrees, humidity], axis=1).astype("float32"), spoiled[:, None]


year_x, year_y = samples(320, 0.5)
week_x, week_y = samples(80, 0.95)

mid = year_x.mean(axis=0)
width = year_x.std(axis=0)
year_z = (year_x - mid) / width

model = tf.keras.Sequential([
    tf.keras.Input((2,)),
    tf.keras.layers.Dense(8, activation="relu"),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
model.compile(optimizer=tf.keras.optimizers.Adam(0.05), loss="binary_crossentropy",
              metrics=["accuracy"])
model.fit(year_z, year_y, epochs=12, batch_size=64, verbose=0)
_, year_score = model.evaluate(year_z, year_y, verbose=0)


def judge(rows):
    z = (rows - mid) / width
    return model.predict(z, verbose=0) > 0.5


flags = judge(week_x)
print(f"accuracy on the year {year_score:.3f}")
print(f"spoiled in the warm week: {int(flags.sum())} of {len(week_x)}")
print(f"accuracy in the warm week {np.mean(flags == (week_y > 0.5)):.3f}")
