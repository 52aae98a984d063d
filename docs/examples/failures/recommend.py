import numpy as np
import tensorflow as tf

users = np.arange(1, 101)
items = np.random.randint(0, 50, 100)
ratings = np.random.rand(100).astype("float32")

u = tf.keras.Input((), dtype="int32", name="user")
i = tf.keras.Input((), dtype="int32", name="item")
pu = tf.keras.layers.Embedding(100, 8, name="people")(u)
pi = tf.keras.layers.Embedding(50, 8, name="things")(i)
model = tf.keras.Model([u, i], tf.keras.layers.Dot(1)([pu, pi]))
model.compile("adam", "mse")
model.fit([users, items], ratings, epochs=1, batch_size=100, verbose=0)
