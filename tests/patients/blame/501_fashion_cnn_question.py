# I am following a tutorial for Fashion-MNIST but use my own (small) images.
# model.summary() prints fine, the error comes when I call fit.
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models
from tensorflow.keras.utils import to_categorical

np.random.seed(0)
x_train = np.random.rand(96, 28, 28)
y_train = np.random.randint(0, 10, size=96)
x_test = np.random.rand(32, 28, 28)
y_test = np.random.randint(0, 10, size=32)

x_train = x_train.reshape(-1, 28, 28, 1).astype("float32")
x_test = x_test.reshape(-1, 28, 28, 1).astype("float32")
y_train = to_categorical(y_train, 10)
y_test = to_categorical(y_test, 10)

model = models.Sequential()
model.add(layers.Input(shape=(28, 28, 1)))
model.add(layers.Conv2D(8, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Dense(32, activation="relu"))
model.add(layers.Dropout(0.25))
model.add(layers.Dense(10, activation="softmax"))
model.summary()

model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x_train, y_train, batch_size=32, epochs=1, verbose=2)

loss, acc = model.evaluate(x_test, y_test, verbose=0)
print("test accuracy:", acc)
