import numpy as np
import tensorflow as tf

scan_in = tf.keras.Input((8,), name="scan")
age_in = tf.keras.Input((1,), name="age")
x = tf.keras.layers.Concatenate()([scan_in, age_in])
model = tf.keras.Model({"scan": scan_in, "age": age_in}, tf.keras.layers.Dense(1)(x))
model.compile("adam", "mse")
batch = {"scan": np.zeros((16, 8), "float32"), "ages": np.zeros((16, 1), "float32")}
model.fit(batch, np.zeros((16, 1)), verbose=0)
