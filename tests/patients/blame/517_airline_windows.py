# %%
import numpy as np
import tensorflow as tf

look_back = 12
epochs = 1

# %%
months = np.arange(144)
passengers = 110 + 2.6 * months + 40 * np.sin(months / 12 * 2 * np.pi)
series = ((passengers - passengers.min()) / np.ptp(passengers)).astype("float32")
train, test = series[:100], series[100:]


# %%
def create_dataset(values, look_back):
    X = np.stack([values[i:i + look_back] for i in range(len(values) - look_back)])
    y = values[look_back - 1:]
    return X[..., np.newaxis], y


trainX, trainY = create_dataset(train, look_back)
testX, testY = create_dataset(test, look_back)

# %%
model = tf.keras.Sequential([
    tf.keras.layers.Input((look_back, 1)),
    tf.keras.layers.SimpleRNN(8),
    tf.keras.layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(trainX, trainY, epochs=epochs, batch_size=16, verbose=2)

# %%
pred = model.predict(testX, verbose=0)[:, 0]
print("rmse", np.sqrt(np.mean((pred - testY) ** 2)))
