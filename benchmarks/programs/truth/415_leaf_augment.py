"""Leaf-disease classifier with a compiled train step and numpy augmentation."""
import numpy as np
import tensorflow as tf

SIDE, CLASSES, BATCH = 20, 4, 16
USE_XLA = True
MIXED = False
tf.config.optimizer.set_jit("autoclustering")


def leaves(n, seed=31):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, CLASSES, n)
    img = rng.uniform(0, 0.2, (n, SIDE, SIDE, 3))
    for i, k in enumerate(label):
        r, c = rng.integers(3, SIDE - 6, 2)
        img[i, r:r + 3 + k, c:c + 3, k % 3] += 0.7
    return img.astype("float32"), label.astype("int32")


def cutout(img, seed=0):
    """Blank one square; plain numpy because the masks come from the field team's script."""
    rng = np.random.default_rng(int(np.sum(img) * 1000) % 2**31)
    out = img.copy()
    for k in range(len(out)):
        r, c = rng.integers(0, SIDE - 5, 2)
        out[k, r:r + 5, c:c + 5] = 0.0
    return out


def augment(images):
    images = tf.image.flip_left_right(images)
    cut = tf.numpy_function(cutout, [images], tf.float32)
    return tf.reshape(cut, tf.shape(images))


class LeafNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = tf.keras.Sequential([
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalMaxPooling2D(),
        ])
        self.head = tf.keras.layers.Dense(CLASSES)

    def call(self, x, training=False):
        if training:
            x = augment(x)
        x.set_shape((None, SIDE, SIDE, 3))
        return self.head(self.body(x))


def main():
    tf.keras.utils.set_random_seed(1)
    if MIXED:
        tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
    x, y = leaves(192)
    net = LeafNet()
    net.compile(
        optimizer=tf.keras.optimizers.Adam(1e-2),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=USE_XLA,
    )
    print("images", x.shape, "untrained", net.predict(x[:BATCH], verbose=0).argmax(-1))
    h = net.fit(x, y, batch_size=BATCH, epochs=3, verbose=2)
    print("accuracy", round(h.history["accuracy"][-1], 2))


if __name__ == "__main__":
    main()
