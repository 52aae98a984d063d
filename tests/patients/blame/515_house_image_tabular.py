# house prices: photo + attributes -> price
import numpy as np
from tensorflow.keras.layers import (Input, Conv2D, MaxPooling2D, Flatten, Dense, concatenate)
from tensorflow.keras.models import Model


def load_houses(n):
    rng = np.random.default_rng(12)
    attrs = rng.random((n, 10)).astype("float32")
    photos = rng.integers(0, 256, (n, 32, 32, 3)).astype("float32") / 255.0
    prices = rng.random(n).astype("float32")
    return attrs, photos, prices


def create_cnn(width, height, depth, filters=(8, 16)):
    inputs = Input(shape=(height, width, depth))
    x = inputs
    for f in filters:
        x = Conv2D(f, (3, 3), padding="same", activation="relu")(x)
        x = MaxPooling2D(pool_size=(2, 2))(x)
    x = Flatten()(x)
    x = Dense(4, activation="relu")(x)
    return Model(inputs, x)


def create_mlp(dim):
    inputs = Input(shape=(dim,))
    x = Dense(8, activation="relu")(inputs)
    x = Dense(4, activation="relu")(x)
    return Model(inputs, x)


attrs, photos, prices = load_houses(60)
split = 45
trainAttrX, testAttrX = attrs[:split], attrs[split:]
trainImagesX, testImagesX = photos[:split], photos[split:]
trainY, testY = prices[:split], prices[split:]

cnn = create_cnn(32, 32, 3)
mlp = create_mlp(trainAttrX.shape[1])
combined = concatenate([cnn.output, mlp.output])
x = Dense(4, activation="relu")(combined)
x = Dense(1, activation="linear")(x)
model = Model(inputs=[cnn.input, mlp.input], outputs=x)
model.compile(loss="mean_absolute_percentage_error", optimizer="adam")

train_inputs = [trainAttrX, trainImagesX]
print("[INFO] training model...")
model.fit(train_inputs, trainY, epochs=1, batch_size=8, verbose=2)
