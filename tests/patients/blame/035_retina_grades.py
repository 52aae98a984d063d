import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(62)


def retina(n):
    rng = np.random.default_rng(62)
    grade = rng.integers(0, 5, n)
    scans = rng.random((n, 28, 28, 3)) * (1 + grade[:, None, None, None])
    return scans.astype("float32") / 6, grade


def residual_cnn():
    scan = keras.Input((28, 28, 3))
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(scan)
    y = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = layers.Add()([x, y])
    x = layers.MaxPooling2D(4)(x)
    x = layers.Flatten()(x)
    return keras.Model(scan, layers.Dense(5, activation="softmax")(x))


x, grade = retina(40)
x_train, x_test = x[:32], x[32:]
y_train, y_test = grade[:32], grade[32:]

model = residual_cnn()
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(x_train, y_train, epochs=1, batch_size=8, verbose=0)

index = int(np.argmax(y_test))
sample = x_test[index]
truth = y_test[index]
report = {"index": index, "mean": float(sample.mean()), "truth": int(truth)}

probs = model.predict(sample, verbose=0)[0]
report["predicted"] = int(np.argmax(probs))
report["confidence"] = float(np.max(probs))
print(report)
