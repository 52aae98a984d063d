"""Two-stage detector head trained with XLA by Keras."""
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(90)
PROPOSALS = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.25, 0.25, 0.75, 0.75], [0.5, 0.5, 1.0, 1.0]])


class RegionAlign(keras.layers.Layer):
    def __init__(self, size, **kw):
        super().__init__(**kw)
        self.size = size

    def call(self, maps):
        batch, count = tf.shape(maps)[0], PROPOSALS.shape[0]
        boxes = tf.tile(PROPOSALS, [batch, 1])
        index = tf.repeat(tf.range(batch), count)
        crops = tf.image.crop_and_resize(maps, boxes, index, [self.size, self.size])
        return tf.reshape(crops, [-1, count, self.size * self.size * maps.shape[-1]])


def detector():
    image = keras.Input((20, 20, 1))
    maps = keras.layers.Conv2D(3, 3, padding="same", activation="relu")(image)
    regions = RegionAlign(4, name="align")(maps)
    return keras.Model(image, keras.layers.Dense(1, name="objectness")(regions))


rng = np.random.default_rng(90)
images = rng.random((24, 20, 20, 1)).astype("float32")
targets = (rng.random((24, 3, 1)) > 0.5).astype("float32")
model = detector()
model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True), jit_compile=True)
print("untrained", model(images[:2]).shape)
model.fit(images, targets, batch_size=8, epochs=1, verbose=0)
print("trained")
