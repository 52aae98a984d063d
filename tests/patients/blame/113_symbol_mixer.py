import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(135)


def backbone(size=24):
    image = keras.Input((size, size, 1))
    x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(image)
    x = layers.Conv2D(64, 3, strides=2, padding="same", activation="relu")(x)
    return image, x


image, x = backbone()
tokens = layers.Reshape((36, 32))(x)
tokens = layers.LayerNormalization()(tokens)
mixed = layers.Permute((2, 1))(layers.Dense(36)(layers.Permute((2, 1))(tokens)))
tokens = layers.Add()([tokens, mixed])
logits = layers.Dense(5)(layers.GlobalAveragePooling1D()(tokens))
mixer = keras.Model(image, logits)

rng = np.random.default_rng(135)
symbols = rng.random((20, 24, 24, 1)).astype("float32")
mixer.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
mixer.fit(symbols, rng.integers(0, 5, 20), batch_size=5, epochs=1, verbose=0)
print(mixer.predict(symbols[:1], verbose=0))
