# Weakly supervised classification of tissue slides.
# A slide is a bag of tile embeddings (from a frozen encoder) and has ONE label.
from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


@dataclass
class Cfg:
    slides: int = 240
    dim: int = 32
    min_tiles: int = 5
    max_tiles: int = 40
    slides_per_step: int = 12
    steps: int = 120
    lr: float = 2e-3
    seed: int = 7


def draw_slides(cfg):
    rng = np.random.default_rng(cfg.seed)
    bags, labels = [], []
    tumour = rng.normal(0, 1, cfg.dim)
    for _ in range(cfg.slides):
        n = int(rng.integers(cfg.min_tiles, cfg.max_tiles + 1))
        tiles = rng.normal(0, 1, (n, cfg.dim))
        y = int(rng.random() < 0.5)
        if y:
            hit = rng.choice(n, size=max(1, n // 5), replace=False)
            tiles[hit] += 1.2 * tumour
        bags.append(tiles.astype("float32"))
        labels.append(y)
    return bags, np.array(labels, "float32")


def collate(bags, labels, which):
    """Tiles of all slides on top of one another, and for each tile the slide it belongs to."""
    flat = np.concatenate([bags[i] for i in which], axis=0)
    owner = np.repeat(np.arange(len(which)), [len(bags[i]) for i in which]).astype("int32")
    return tf.constant(flat), tf.constant(owner), tf.constant(labels[which])


class GatedAttention(layers.Layer):
    def __init__(self, hidden, **kw):
        super().__init__(**kw)
        self.v = layers.Dense(hidden, activation="tanh")
        self.u = layers.Dense(hidden, activation="sigmoid")
        self.w = layers.Dense(1)

    def call(self, tiles, owner, slides):
        score = self.w(self.v(tiles) * self.u(tiles))[:, 0]
        top = tf.math.unsorted_segment_max(score, owner, slides)
        e = tf.exp(score - tf.gather(top, owner))
        z = tf.math.unsorted_segment_sum(e, owner, slides)
        a = e / tf.gather(z, owner)
        return tf.math.unsorted_segment_sum(tiles * a[:, None], owner, slides), a


class SlideNet(tf.keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.embed = layers.Dense(cfg.dim, activation="relu")
        self.att = GatedAttention(24)
        self.head = layers.Dense(1)

    def call(self, inputs, slides, training=False):
        tiles, owner = inputs
        bag, _ = self.att(self.embed(tiles), owner, slides=slides)
        return self.head(bag)[:, 0]


def main(cfg=Cfg()):
    tf.keras.utils.set_random_seed(cfg.seed)
    bags, labels = draw_slides(cfg)
    cut = int(0.75 * cfg.slides)
    net = SlideNet(cfg)
    opt = tf.keras.optimizers.Adam(cfg.lr)

    @tf.function(reduce_retracing=True, input_signature=[
        tf.TensorSpec([None, cfg.dim], tf.float32),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([None], tf.float32),
    ])
    def step(tiles, owner, y):
        with tf.GradientTape() as tape:
            logit = net((tiles, owner), slides=tf.shape(y)[0], training=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logit))
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        return loss

    rng = np.random.default_rng(1)
    for it in range(cfg.steps):
        which = rng.choice(cut, cfg.slides_per_step, replace=False)
        tiles, owner, y = collate(bags, labels, which)
        loss = step(tiles, owner, y)
        if it % 30 == 0:
            print(f"step {it:3d}: {tiles.shape[0]} tiles -> {y.shape[0]} slides, loss {float(loss):.3f}")

    tiles, owner, y = collate(bags, labels, np.arange(cut, cfg.slides))
    logit = net((tiles, owner), slides=len(y))
    error = float(tf.reduce_mean(tf.cast((logit > 0) != (y > 0.5), tf.float32)))
    print(f"slide error on {len(y)} held-out slides ({tiles.shape[0]} tiles): {error:.3f}")


if __name__ == "__main__":
    main()
