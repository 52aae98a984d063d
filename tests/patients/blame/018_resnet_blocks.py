import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(14)


def bn_relu(x):
    return layers.ReLU()(layers.BatchNormalization()(x))


def residual(x, filters, stride=1, name=None):
    needs_projection = stride != 1
    y = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    y = bn_relu(y)
    y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
    y = layers.BatchNormalization()(y)
    if needs_projection:
        x = layers.Conv2D(filters, 1, strides=stride, use_bias=False)(x)
        x = layers.BatchNormalization()(x)
    return layers.ReLU(name=name)(layers.Add()([x, y]))


def resnet(input_shape, stages, classes):
    image = layers.Input(input_shape)
    x = layers.Conv2D(16, 3, padding="same", use_bias=False)(image)
    x = bn_relu(x)
    for i, (filters, blocks) in enumerate(stages):
        for b in range(blocks):
            stride = 2 if (b == 0 and i > 0) else 1
            x = residual(x, filters, stride, name=f"s{i}b{b}")
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(classes, activation="softmax")(x))


rng = np.random.default_rng(14)
x_train = rng.random((16, 16, 16, 3), dtype="float32")
y_train = rng.integers(0, 4, 16)

model = resnet((16, 16, 3), stages=[(32, 1), (48, 1)], classes=4)
model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=8, epochs=1, verbose=0)
print("params", model.count_params())
