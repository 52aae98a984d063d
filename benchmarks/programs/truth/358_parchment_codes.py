"""Vector-quantised autoencoder on parchment textures with dead codes revived."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

CODES, DIM = 12, 5


@keras.saving.register_keras_serializable("parchment")
class Codebook(layers.Layer):
    def __init__(self, codes, dim, beta=0.25, **kwargs):
        super().__init__(**kwargs)
        self.codes, self.dim, self.beta = codes, dim, beta

    def build(self, shape):
        self.table = self.add_weight(shape=(self.codes, self.dim), name="table",
                                     initializer=keras.initializers.RandomUniform(-0.1, 0.1, seed=1))
        self.usage = self.add_weight(shape=(self.codes,), name="usage",
                                     initializer="zeros", trainable=False)

    def call(self, z, training=False):
        flat = ops.reshape(z, (-1, self.dim))
        dist = (ops.sum(flat ** 2, axis=1, keepdims=True)
                - 2 * ops.matmul(flat, ops.transpose(self.table))
                + ops.sum(self.table ** 2, axis=1))
        idx = ops.argmin(dist, axis=1)
        quant = ops.reshape(ops.take(self.table, idx, axis=0), ops.shape(z))
        self.add_loss(ops.mean((ops.stop_gradient(z) - quant) ** 2)
                      + self.beta * ops.mean((z - ops.stop_gradient(quant)) ** 2))
        if training:
            self.usage.assign(self.usage + ops.sum(ops.one_hot(idx, self.codes), axis=0))
        return z + ops.stop_gradient(quant - z)

    def get_config(self):
        return {**super().get_config(), "codes": self.codes, "dim": self.dim, "beta": self.beta}


class ReviveDeadCodes(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        book = self.model.get_layer("book")
        dead = np.flatnonzero(ops.convert_to_numpy(book.usage) == 0)
        if len(dead):
            print(f"WARNING: {len(dead)} of {book.codes} codes unused in epoch {epoch}, moved")
            table = ops.convert_to_numpy(book.table).copy()
            rng = np.random.default_rng(epoch)
            table[dead] = table[rng.integers(0, book.codes, len(dead))] + rng.normal(
                scale=0.05, size=(len(dead), book.dim))
            book.table.assign(table)
        book.usage.assign(np.zeros(book.codes, "float32"))


def main():
    keras.utils.set_random_seed(14)
    rng = np.random.default_rng(1215)
    x = rng.normal(size=(40, 10, 14, 1)).cumsum(axis=1).cumsum(axis=2) / 20
    x = x.astype("float32")
    img = keras.Input((10, 14, 1))
    h = layers.Conv2D(DIM, 4, strides=(5, 7), padding="same")(img)
    h = Codebook(CODES, DIM, name="book")(h)
    h = layers.Conv2DTranspose(6, (5, 7), strides=(5, 7), activation="relu")(h)
    out = layers.Conv2D(1, 3, padding="same")(h)
    model = keras.Model(img, out)
    print("code map", model.get_layer("book").output.shape, "reconstruction", model.output_shape)
    model.compile(keras.optimizers.Adam(0.01), "mse", jit_compile=True)
    hist = model.fit(x, x, epochs=3, batch_size=8, verbose=0, callbacks=[ReviveDeadCodes()])
    print("loss", [round(v, 4) for v in hist.history["loss"]])
    again = keras.models.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    assert np.allclose(again(x[:2]), model(x[:2]), atol=1e-5)
    print("rebuilt from its config, outputs agree")


if __name__ == "__main__":
    main()
