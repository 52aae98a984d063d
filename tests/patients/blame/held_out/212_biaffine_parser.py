import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, Model, Input

N_TAGS, N_WORDS, SENT_LEN = 12, 200, 10
ARC_DIM, REL_DIM, N_RELS = 20, 12, 6


class Biaffine(layers.Layer):
    def __init__(self, n_out, bias_x=True, bias_y=True, **kwargs):
        super().__init__(**kwargs)
        self.n_out = n_out
        self.bias_x = bias_x
        self.bias_y = bias_y

    def build(self, input_shape):
        n_in = input_shape[0][-1]
        self.weight = self.add_weight(
            name="weight",
            shape=(self.n_out, n_in + int(self.bias_x), n_in + int(self.bias_x)),
            initializer="glorot_uniform",
        )

    def call(self, inputs):
        x, y = inputs
        if self.bias_x:
            x = tf.concat([x, tf.ones_like(x[..., :1])], axis=-1)
        if self.bias_y:
            y = tf.concat([y, tf.ones_like(y[..., :1])], axis=-1)
        s = tf.einsum("bxi,oij,byj->boxy", x, self.weight, y)
        return tf.squeeze(s, axis=1) if self.n_out == 1 else tf.transpose(s, [0, 2, 3, 1])


def mlp(x, size, name):
    return layers.Dropout(0.2)(layers.Dense(size, activation="relu", name=name)(x))


words = Input((SENT_LEN,), dtype="int32", name="words")
tags = Input((SENT_LEN,), dtype="int32", name="tags")
emb = layers.Concatenate()([
    layers.Embedding(N_WORDS, 24)(words),
    layers.Embedding(N_TAGS, 8)(tags),
])
h = layers.Bidirectional(layers.LSTM(16, return_sequences=True))(emb)

rel = Biaffine(N_RELS, name="rel")([mlp(h, REL_DIM, "rel_dep"), mlp(h, REL_DIM, "rel_head")])
arc = Biaffine(1, bias_y=False, name="arc")([mlp(h, ARC_DIM, "arc_dep"), mlp(h, ARC_DIM, "arc_head")])

parser = Model([words, tags], [arc, rel])
ce = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
parser.compile(optimizer="adam", loss=[ce, ce])

g = np.random.default_rng(1)
w = g.integers(1, N_WORDS, (24, SENT_LEN))
t = g.integers(0, N_TAGS, (24, SENT_LEN))
heads = g.integers(0, SENT_LEN, (24, SENT_LEN))
rels = g.integers(0, N_RELS, (24, SENT_LEN, SENT_LEN))
parser.fit([w, t], [heads, rels], batch_size=8, epochs=1, verbose=0)
print([o.shape for o in parser.predict([w[:3], t[:3]], verbose=0)])
