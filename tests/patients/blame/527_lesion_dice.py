import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, backend as K


def dice_coef(y_true, y_pred, smooth=1.0):
    t = tf.reshape(tf.cast(y_true, tf.float32), [-1])
    p = tf.reshape(y_pred, [-1])
    inter = tf.reduce_sum(t * p)
    return (2.0 * inter + smooth) / (tf.reduce_sum(t) + tf.reduce_sum(p) + smooth)


def dice_loss(y_true, y_pred):
    return 1.0 - dice_coef(y_true, y_pred)


class SegHead(layers.Layer):
    def __init__(self, n_out, **kw):
        super().__init__(**kw)
        self.up = layers.UpSampling2D(2)
        self.proj = layers.Conv2D(n_out, 1, activation="sigmoid")

    def call(self, x):
        return self.proj(self.up(x))


class LesionNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.c1 = layers.Conv2D(8, 3, padding="same", activation="relu")
        self.pool = layers.MaxPooling2D()
        self.c2 = layers.Conv2D(8, 3, padding="same", activation="relu")
        self.head = SegHead(2)

    def call(self, x):
        return self.head(self.c2(self.pool(self.c1(x))))


def ellipse_data(n=12, side=32):
    rng = np.random.default_rng(4)
    yy, xx = np.mgrid[:side, :side]
    c = rng.uniform(8, 24, (n, 2, 1, 1))
    r = rng.uniform(3, 8, (n, 1, 1))
    masks = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2 < r ** 2).astype("float32")
    imgs = masks + rng.normal(0, 0.3, masks.shape)
    return imgs[..., None].astype("float32"), masks[..., None]


x, y = ellipse_data()
net = LesionNet()
net.compile(optimizer="adam", loss=dice_loss)
net.fit(x, y, batch_size=4, epochs=1, verbose=2)
