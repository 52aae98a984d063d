import tensorflow as tf
import numpy as np

np.random.seed(3)
tf.keras.utils.set_random_seed(3)

N = 333
area = np.random.uniform(30, 250, N)
rooms = np.random.randint(1, 8, N)
age = np.random.uniform(0, 90, N)
price = 2.1 * area + 12 * rooms - 0.8 * age + np.random.normal(0, 8, N)

features = np.stack([area, rooms, age], axis=1).astype("float32")
target = price.astype("float32")[:, None]

split = 265
train = tf.data.Dataset.from_tensor_slices((features[:split], target[:split]))
train = train.shuffle(split, seed=3).batch(32).prefetch(tf.data.AUTOTUNE)
test = tf.data.Dataset.from_tensor_slices((features[split:], target[split:])).batch(32)

norm = tf.keras.layers.Normalization()
norm.adapt(features[:split])

inp = tf.keras.Input(shape=(3,))
z = norm(inp)
z = tf.keras.layers.Dense(32, activation="gelu")(z)
z = tf.keras.layers.Dense(32, activation="gelu")(z)
out = tf.keras.layers.Dense(1)(z)
model = tf.keras.Model(inp, out)
model.compile(optimizer=tf.keras.optimizers.Adam(1e-2), loss="huber", metrics=["mae"])
model.fit(train, validation_data=test, epochs=5, verbose=0)

loss, mae = model.evaluate(test, verbose=0)
print(f"test loss {loss:.2f}, mean absolute error {mae:.2f} k")
print("one house:", model.predict(np.array([[120.0, 4, 10]], dtype="float32"), verbose=0)[0, 0])
