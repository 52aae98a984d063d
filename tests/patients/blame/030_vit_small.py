import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(51)
image_size, patch_size, projection_dim = 24, 6, 20
num_patches = image_size // patch_size


class Patches(layers.Layer):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def call(self, images):
        p = ops.image.extract_patches(images, size=self.size)
        return ops.reshape(p, (-1, p.shape[1] * p.shape[2], p.shape[3]))


class PatchEncoder(layers.Layer):
    def __init__(self, n, dim):
        super().__init__()
        self.n = n
        self.projection = layers.Dense(dim)
        self.position = layers.Embedding(n, dim)

    def call(self, patches):
        positions = ops.arange(0, self.n)
        return self.projection(patches) + self.position(positions)


def vit(classes):
    image = keras.Input((image_size, image_size, 3))
    x = PatchEncoder(num_patches, projection_dim)(Patches(patch_size)(image))
    for _ in range(2):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = layers.Add()([x, layers.MultiHeadAttention(2, 10)(y, y)])
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = layers.Add()([x, layers.Dense(projection_dim, activation="gelu")(y)])
    return keras.Model(image, layers.Dense(classes)(layers.Flatten()(x)))


rng = np.random.default_rng(51)
model = vit(4)
model.compile("adamw", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(rng.random((8, 24, 24, 3), dtype="float32"), rng.integers(0, 4, 8), epochs=1, verbose=0)
