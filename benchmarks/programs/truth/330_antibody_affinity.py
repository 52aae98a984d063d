"""Predict antibody affinity: heavy chain attends to the light chain, padding masked."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

AMINO = 21
SETTINGS = {"heavy_len": 30, "light_len": 22, "dim": 16, "heads": 2, "dropout": 0.0}


def chains(n, rng, length, shortest):
    seq = rng.integers(1, AMINO, size=(n, length))
    size = rng.integers(shortest, length + 1, size=n)
    seq[np.arange(length)[None, :] >= size[:, None]] = 0
    return seq.astype("int32")


@keras.saving.register_keras_serializable("affinity")
class PairMask(layers.Layer):
    """Boolean mask of residue pairs, true where both residues exist."""

    def call(self, query_ids, key_ids):
        q = keras.ops.not_equal(query_ids, 0)
        k = keras.ops.not_equal(key_ids, 0)
        return keras.ops.logical_and(q[:, None, :], k[:, :, None])


def encoder(ids, length, dim, name):
    tok = layers.Embedding(AMINO, dim, name=f"{name}_embed")(ids)
    pos = layers.Embedding(length, dim, name=f"{name}_pos")(
        keras.ops.arange(length)[None, :])
    return layers.LayerNormalization(name=f"{name}_norm")(tok + pos)


def build(s):
    heavy = keras.Input((s["heavy_len"],), dtype="int32", name="heavy")
    light = keras.Input((s["light_len"],), dtype="int32", name="light")
    h = encoder(heavy, s["heavy_len"], s["dim"], "heavy")
    l = encoder(light, s["light_len"], s["dim"], "light")
    mask = PairMask(name="pairs")(heavy, light)
    x = layers.MultiHeadAttention(s["heads"], s["dim"] // s["heads"],
                                  dropout=s["dropout"], name="cross")(
        query=h, value=l, attention_mask=mask)
    x = layers.Add()([x, h])
    x = layers.GlobalAveragePooling1D()(x)
    out = layers.Dense(1, name="affinity")(x)
    return keras.Model([heavy, light], out)


def main():
    rng = np.random.default_rng(30)
    heavy = chains(48, rng, SETTINGS["heavy_len"], 20)
    light = chains(48, rng, SETTINGS["light_len"], 15)
    target = (heavy.mean(1) - light.mean(1)).astype("float32")[:, None]
    model = build(SETTINGS)
    model.compile("adam", "huber")
    ds = tf.data.Dataset.from_tensor_slices(
        ({"heavy": heavy, "light": light}, target)).batch(16)
    hist = model.fit(ds, epochs=2, verbose=0)
    print("loss", [round(v, 4) for v in hist.history["loss"]])


if __name__ == "__main__":
    main()
