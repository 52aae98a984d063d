import numpy as np
import tensorflow as tf

VOCAB = 25
MAX_WORDS = 7
IMG_DIM = 20


class Captioner(tf.Module):
    def __init__(self, units=16, emb=10):
        super().__init__()
        self.emb = tf.keras.layers.Embedding(VOCAB, emb)
        self.img = tf.keras.layers.Dense(IMG_DIM, activation="relu")
        self.gru = tf.keras.layers.GRU(units, return_sequences=True)
        self.out = tf.keras.layers.Dense(VOCAB)

    def __call__(self, image_vec, words):
        w = self.emb(words)
        v = tf.expand_dims(self.img(image_vec), 1)
        v = tf.tile(v, [1, tf.shape(w)[1]])
        return self.out(self.gru(tf.concat([w, v], axis=-1)))


def shifted(captions):
    return captions[:, :-1], captions[:, 1:]


def masked_loss(target, logits):
    ce = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
    mask = tf.cast(target > 0, ce.dtype)
    return tf.reduce_sum(ce * mask) / tf.reduce_sum(mask)


def fake_flickr(n=16):
    rng = np.random.default_rng(0)
    caps = rng.integers(3, VOCAB, (n, MAX_WORDS))
    caps[:, 0] = 1
    for row in caps:
        row[rng.integers(3, MAX_WORDS):] = 0
    return rng.normal(size=(n, 64)).astype("float32"), caps


vecs, caps = fake_flickr()
net = Captioner()
opt = tf.keras.optimizers.Adam(1e-2)
ds = tf.data.Dataset.from_tensor_slices((vecs, caps)).batch(8)
for vec, cap in ds:
    inp, tgt = shifted(cap)
    with tf.GradientTape() as tape:
        loss = masked_loss(tgt, net(vec, inp))
    variables = [v for l in (net.emb, net.img, net.gru, net.out) for v in l.trainable_variables]
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(float(loss))
