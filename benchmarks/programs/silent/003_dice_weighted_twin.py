import numpy as np
import tensorflow as tf
import keras
from keras import layers

SIZE = 12


def dice_per_image(y_true, y_pred, smooth=1.0):
    inter = tf.reduce_sum(y_true * y_pred, axis=(1, 2, 3))
    total = tf.reduce_sum(y_true + y_pred, axis=(1, 2, 3))
    return 1.0 - (2.0 * inter + smooth) / (total + smooth)


def lesions(n, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    r = rng.uniform(1, 4, n)
    cx, cy = rng.uniform(3, 9, (2, n))
    m = (xx[None] - cx[:, None, None]) ** 2 + (yy[None] - cy[:, None, None]) ** 2 < (r ** 2)[:, None, None]
    img = m + rng.normal(0, 0.4, m.shape)
    return img[..., None].astype("float32"), m[..., None].astype("float32"), (1.0 / r).astype("float32")


def unet_ish():
    inp = keras.Input((SIZE, SIZE, 1))
    h = layers.Conv2D(6, 3, padding="same", activation="relu")(inp)
    return keras.Model(inp, layers.Conv2D(1, 1, activation="sigmoid")(h))


keras.utils.set_random_seed(0)
img, mask, weight = lesions(40, 5)
ds = tf.data.Dataset.from_tensor_slices((img, mask, weight)).batch(10)
net, opt = unet_ish(), keras.optimizers.Adam(5e-3)


@tf.function
def step(x, y, w):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(dice_per_image(y, net(x, training=True)) * w) / tf.reduce_sum(w)
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


for epoch in range(3):
    losses = [float(step(*b)) for b in ds]
    print("epoch", epoch, "weighted dice loss %.4f" % np.mean(losses))
