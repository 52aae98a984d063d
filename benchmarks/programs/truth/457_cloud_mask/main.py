import os
import tempfile

import tensorflow as tf

import scenes
from unet import TinyUNet

SIZE = 24
N_SCENES = 12


def iou(logits, mask):
    p = tf.cast(logits > 0, tf.float32)
    return float(tf.reduce_sum(p * mask) / tf.reduce_sum(tf.maximum(p, mask)))


def main():
    folder = tempfile.mkdtemp(prefix="scenes_")
    path = os.path.join(folder, "l1c.npz")
    scenes.write(path, N_SCENES, SIZE, seed=31)
    toa, mask = scenes.read(path)
    net = TinyUNet(len(scenes.BANDS))
    opt = tf.keras.optimizers.Adam(5e-3)
    ds = tf.data.Dataset.from_tensor_slices((toa, mask)).batch(4)
    for epoch in range(4):
        scores = []
        for x, y in ds:
            with tf.GradientTape() as tape:
                logits = net(x)
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
            opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
            scores.append(iou(logits, y))
        print("epoch %d iou %.3f" % (epoch, sum(scores) / len(scores)))
    os.remove(path)
    os.rmdir(folder)


main()
