"""Slides as bags of tiles: tiles are embedded one by one, slides are classified, mirrored views averaged."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

TILES, SIDE = 6, 12


class Unbag(keras.layers.Layer):
    """(slides, tiles, h, w, c) -> (slides * tiles, h, w, c)"""

    def call(self, x):
        return tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0))

    def compute_output_shape(self, shape):
        return (None, *shape[2:])


class Rebag(keras.layers.Layer):
    """(slides * tiles, f) -> (slides, tiles, f)"""

    def __init__(self, tiles, **kw):
        super().__init__(**kw)
        self.tiles = tiles

    def call(self, x):
        return tf.reshape(x, [-1, self.tiles, x.shape[-1]])

    def compute_output_shape(self, shape):
        return (None, self.tiles, shape[-1])


class GatedPool(keras.layers.Layer):
    def __init__(self, width, **kw):
        super().__init__(**kw)
        self.v = keras.layers.Dense(width, activation="tanh")
        self.u = keras.layers.Dense(width, activation="sigmoid")
        self.w = keras.layers.Dense(1)

    def build(self, shape):
        self.v.build(shape)
        self.u.build(shape)
        self.w.build((*shape[:-1], self.v.units))

    def call(self, h):
        a = tf.nn.softmax(self.w(self.v(h) * self.u(h)), axis=1)
        return tf.reduce_sum(a * h, axis=1)

    def compute_output_shape(self, shape):
        return (shape[0], shape[-1])


def network():
    bags = keras.Input((TILES, SIDE, SIDE, 3))
    views = keras.layers.Lambda(lambda x: tf.concat([x, x[:, :, :, ::-1]], 0),
                                output_shape=(TILES, SIDE, SIDE, 3), name="mirror")(bags)
    h = Unbag()(views)
    h = keras.layers.Conv2D(8, 3, strides=2, activation="relu")(h)
    h = keras.layers.GlobalAveragePooling2D()(h)
    h = GatedPool(8)(Rebag(TILES)(h))
    logit = keras.layers.Dense(1)(h)
    logit = keras.layers.Lambda(lambda z: tf.reduce_mean(tf.stack(tf.split(z, 2, axis=0)), 0),
                                output_shape=(1,), name="average_views")(logit)
    return keras.Model(bags, logit)


def slides(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = rng.normal(0, 0.3, (n, TILES, SIDE, SIDE, 3))
    for i in np.flatnonzero(y):
        x[i, rng.integers(TILES), 3:9, 3:9, 0] += 2.0
    return x.astype("float32"), y.astype("float32")[:, None]


def main():
    keras.utils.set_random_seed(3)
    x, y = slides(44, 3)
    model = network()
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
    stages = keras.Model(model.input, [l.output for l in model.layers if l.name in ("mirror", "average_views")]
                         + [model.layers[2].output])
    for name, value in zip(("mirrored", "averaged", "tiles"), stages(x[:5])):
        print(f"{name}: 5 slides -> {tuple(value.shape)}")
    h = model.fit(x, y, batch_size=16, epochs=2, verbose=0)
    print("loss", [round(v, 4) for v in h.history["loss"]])
    print("one slide", model.predict(x[:1], verbose=0).shape, "all", model.predict(x, verbose=0).shape)


if __name__ == "__main__":
    main()
