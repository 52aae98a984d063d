"""Beer-style classifier from brewing sheets, compiled end to end.

The model takes the raw hop names: the lookup is a layer of the model, so that it can be exported as it is.
"""
import keras
import numpy as np
import tensorflow as tf

HOPS = ["cascade", "saaz", "fuggle", "citra", "mosaic", "hallertau", "simcoe"]
STYLES = ["lager", "bitter", "ipa", "stout"]
USE_XLA = True


def brews(n, seed):
    rng = np.random.default_rng(seed)
    style = rng.integers(0, len(STYLES), n)
    prefer = np.full((len(STYLES), len(HOPS)), 0.05)
    prefer[0, [1, 5]] = 0.375
    prefer[1, 2] = 0.7
    prefer[2, [0, 3, 4, 6]] = 0.2125
    prefer[3, [2, 0]] = 0.375
    prefer /= prefer.sum(1, keepdims=True)
    hop = np.array([rng.choice(HOPS, p=prefer[s]) for s in style])
    ibu = np.array([20, 35, 60, 40])[style] + rng.normal(0, 6, n)
    srm = np.array([4, 12, 8, 38])[style] + rng.normal(0, 3, n)
    sheet = np.stack([ibu / 50, srm / 20], axis=1).astype("float32")
    return sheet, hop[:, None].astype(object), style.astype("int32")


class HopEncoder(keras.layers.Layer):
    """Hashes a hop name into buckets and looks up a trainable vector."""

    def __init__(self, buckets=32, width=6, **kwargs):
        super().__init__(**kwargs)
        self.buckets = buckets
        self.table = keras.layers.Embedding(buckets, width)

    def call(self, names):
        names = tf.strings.lower(names)
        ids = tf.strings.to_hash_bucket_fast(names, self.buckets)
        return self.table(ids)[:, 0]

    def compute_output_shape(self, shape):
        return (shape[0], self.table.output_dim)


def model():
    sheet = keras.Input((2,), name="sheet")
    hop = keras.Input((1,), dtype="string", name="hop")
    h = keras.layers.Concatenate()([sheet, HopEncoder(name="hop_vec")(hop)])
    h = keras.layers.Dense(24, activation="relu")(h)
    h = keras.layers.Dropout(0.1)(h)
    return keras.Model([sheet, hop], keras.layers.Dense(len(STYLES), name="style")(h))


def as_dataset(data, batch, shuffle=False):
    sheet, hop, y = data
    ds = tf.data.Dataset.from_tensor_slices(({"sheet": sheet, "hop": tf.constant(hop.tolist())}, y))
    if shuffle:
        ds = ds.shuffle(len(y), seed=4)
    return ds.batch(batch, drop_remainder=True)


def main():
    keras.utils.set_random_seed(33)
    train = as_dataset(brews(1200, 0), 40, shuffle=True)
    test = as_dataset(brews(400, 1), 40)
    m = model()
    m.compile(
        optimizer=keras.optimizers.Adam(4e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="acc")],
        jit_compile=USE_XLA,
    )
    m.fit(train, epochs=4, verbose=2)
    print("test:", m.evaluate(test, verbose=0, return_dict=True))


if __name__ == "__main__":
    main()
