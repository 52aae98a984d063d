import numpy as np
import tensorflow as tf

from tiling import Tiler


def cloud_score(tiles, net):
    return tf.reshape(net(tiles), [-1])


def scene(seed=0):
    return tf.constant(np.random.default_rng(seed).random((64, 64, 3)), tf.float32)


net = tf.keras.Sequential([
    tf.keras.layers.Conv2D(4, 3, strides=2, activation="relu"),
    tf.keras.layers.GlobalAveragePooling2D(),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
tiler = Tiler()
batch = tiler.tiles(scene())
score = cloud_score(batch, net)
print("tiles", batch.shape, "cloudiest", int(tf.argmax(score)), float(tf.reduce_max(score)))
