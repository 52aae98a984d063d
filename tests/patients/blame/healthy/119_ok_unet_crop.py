import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(1)
TILE = 50


def block(x, f):
    return layers.Conv2D(f, 3, padding="same", activation="relu")(x)


def match(skip, x):
    """Crops the skip connection to the size of the decoder's map."""
    dh = skip.shape[1] - x.shape[1]
    dw = skip.shape[2] - x.shape[2]
    if dh or dw:
        skip = layers.Cropping2D(((0, dh), (0, dw)))(skip)
    return layers.Concatenate()([skip, x])


tile = keras.Input((TILE, TILE, 2))
d1 = block(tile, 6)
d2 = block(layers.MaxPooling2D()(d1), 8)
x = block(layers.MaxPooling2D()(d2), 8)
x = block(match(d2, layers.UpSampling2D()(x)), 8)
x = block(match(d1, layers.UpSampling2D()(x)), 6)
x = layers.ZeroPadding2D(((0, TILE - x.shape[1]), (0, TILE - x.shape[2])))(x)
net = keras.Model(tile, layers.Conv2D(1, 1, activation="sigmoid")(x))

rng = np.random.default_rng(1)
images = rng.random((6, TILE, TILE, 2)).astype("float32")
masks = (images[..., :1] > 0.5).astype("float32")
net.compile("adam", "binary_crossentropy")
net.fit(images, masks, batch_size=4, epochs=1, verbose=0)
print(net.predict(images[:1], verbose=0).shape)
