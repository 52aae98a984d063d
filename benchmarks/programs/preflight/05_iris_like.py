from tensorflow import keras
import numpy as np

keras.utils.set_random_seed(1)

# three flower species, four measurements each
centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
labels = np.repeat([0, 1, 2], 60)
data = centres[labels] + np.random.default_rng(1).normal(0, 0.3, (180, 4))
order = np.random.default_rng(2).permutation(180)
data, labels = data[order], labels[order]

model = keras.Sequential()
model.add(keras.layers.Dense(16, activation="relu", input_shape=(4,)))
model.add(keras.layers.Dense(16, activation="relu"))
model.add(keras.layers.Dense(3, activation="softmax"))
model.compile(optimizer="rmsprop", loss="categorical_crossentropy", metrics=["accuracy"])
model.fit(data, labels, epochs=20, batch_size=16, verbose=0)
print(model.evaluate(data, labels, verbose=0))
