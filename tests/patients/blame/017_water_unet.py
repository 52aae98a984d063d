import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(1)
TILE = 50
BANDS = 4


def sentinel_tiles(n):
    rng = np.random.default_rng(1)
    tiles = rng.random((n, TILE, TILE, BANDS), dtype="float32")
    water = (tiles[..., 3:] < tiles[..., 1:2]).astype("float32")
    return tiles, water


def block(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


def unet(filters=(8, 16), bottleneck=16):
    tile = keras.Input((TILE, TILE, BANDS))
    x, skips = tile, []
    for f in filters:
        x = block(x, f)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = block(x, bottleneck)
    for f, skip in zip(reversed(filters), reversed(skips)):
        x = layers.Conv2DTranspose(f, 2, strides=2)(x)
        x = layers.concatenate([x, skip])
        x = block(x, f)
    return keras.Model(tile, layers.Conv2D(1, 1, activation="sigmoid")(x))


tiles, water = sentinel_tiles(8)
model = unet()
model.compile("adam", "binary_crossentropy")
model.fit(tiles, water, batch_size=4, epochs=1, verbose=0)
print("water share", float(model.predict(tiles, verbose=0).mean()))
