import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(13)


def load_faces(n=48):
    rng = np.random.default_rng(13)
    faces = rng.random((n, 24, 24, 3), dtype="float32")
    age = rng.uniform(1, 80, (n, 1)).astype("float32")
    group = rng.integers(0, 4, n)
    smile = rng.integers(0, 2, (n, 1)).astype("float32")
    return faces, [keras.utils.to_categorical(group, 4), age, smile]


def backbone(image):
    x = layers.Rescaling(2.0, offset=-1.0)(image)
    for f in (8, 16):
        x = layers.SeparableConv2D(f, 3, activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    return layers.GlobalAveragePooling2D()(x)


def build():
    image = keras.Input((24, 24, 3))
    h = backbone(image)
    age = layers.Dense(1, activation="relu", name="age")(h)
    group = layers.Dense(4, activation="softmax", name="group")(h)
    smile = layers.Dense(1, activation="sigmoid", name="smile")(h)
    return keras.Model(image, [age, group, smile])


faces, targets = load_faces()
model = build()
losses = {"age": "mae", "group": "categorical_crossentropy", "smile": "binary_crossentropy"}
model.compile(
    optimizer="adam",
    loss=losses,
    loss_weights={"age": 0.01, "group": 1.0, "smile": 0.5},
)
model.fit(faces, targets, batch_size=16, epochs=1, verbose=0)
print(model.metrics_names)
