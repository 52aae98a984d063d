"""Keep a learned encoder fixed while a new dialect head is fitted."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(47)
rng = np.random.default_rng(47)
DIM = 10

axis_a = rng.normal(0, 1, (DIM, 1))
axis_b = rng.normal(0, 1, (DIM, 1))


def corpus(n, axis):
    x = rng.normal(0, 1, (n, DIM)).astype("float32")
    return x, (x @ axis > 0).astype("float32")


base_x, base_y = corpus(256, axis_a)
new_x, new_y = corpus(160, axis_b)

encoder = tf.keras.Sequential([
    tf.keras.Input((DIM,)),
    tf.keras.layers.Dense(12, activation="tanh"),
], name="encoder")
head = tf.keras.layers.Dense(1, activation="sigmoid", name="head")
model = tf.keras.Sequential([encoder, head])

model.compile(optimizer=tf.keras.optimizers.Adam(0.02), loss="binary_crossentropy",
              metrics=["accuracy"])
model.fit(base_x, base_y, epochs=10, batch_size=32, verbose=0)
base_head = head.get_weights()
_, first = model.evaluate(base_x, base_y, verbose=0)

encoder.trainable = False
model.compile(optimizer=tf.keras.optimizers.Adam(0.02), loss="binary_crossentropy",
              metrics=["accuracy"])
model.fit(new_x, new_y, epochs=15, batch_size=32, verbose=0)
_, new_score = model.evaluate(new_x, new_y, verbose=0)

head.set_weights(base_head)
_, kept = model.evaluate(base_x, base_y, verbose=0)
print("trained arrays in the second run:", len(model.trainable_variables))
print(f"base dialect with its own head: {first:.3f}, after the second run {kept:.3f}")
print(f"new dialect {new_score:.3f}")
