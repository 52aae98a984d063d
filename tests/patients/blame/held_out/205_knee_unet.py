import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers, ops


def conv_pair(x, filters, name):
    for i in (1, 2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False, name=f"{name}_c{i}")(x)
        x = layers.BatchNormalization(name=f"{name}_bn{i}")(x)
        x = layers.ReLU(name=f"{name}_a{i}")(x)
    return x


def contracting(x, widths):
    kept = []
    for i, w in enumerate(widths):
        x = conv_pair(x, w, f"down{i}")
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    return x, kept


def join(up, skip):
    return layers.Concatenate()([up, skip])


def expanding(x, widths, kept):
    for i, (w, skip) in enumerate(zip(widths[::-1], kept)):
        x = layers.Conv2DTranspose(w, 2, strides=2, name=f"up{i}")(x)
        x = join(x, skip)
        x = conv_pair(x, w, f"dec{i}")
    return x


def dice_loss(y, p):
    inter = ops.sum(y * p, axis=(1, 2, 3))
    total = ops.sum(y, axis=(1, 2, 3)) + ops.sum(p, axis=(1, 2, 3))
    return 1.0 - (2.0 * inter + 1.0) / (total + 1.0)


def build(side=32, widths=(8, 16, 24)):
    widths = list(widths)
    scan = keras.Input((side, side, 1), name="slice")
    x, kept = contracting(scan, widths)
    x = conv_pair(x, 2 * widths[-1], "bottom")
    x = expanding(x, widths, kept)
    mask = layers.Conv2D(1, 1, activation="sigmoid", name="cartilage")(x)
    return keras.Model(scan, mask)


def phantoms(n, side, seed):
    g = np.random.default_rng(seed)
    yy, xx = np.mgrid[:side, :side]
    cy, cx = g.uniform(8, side - 8, (2, n, 1, 1))
    disc = ((yy - cy) ** 2 + (xx - cx) ** 2 < 36).astype("float32")
    noise = g.normal(0, 0.2, disc.shape)
    return (disc + noise)[..., None].astype("float32"), disc[..., None]


if __name__ == "__main__":
    x, y = phantoms(12, 32, 0)
    net = build()
    net.compile(optimizer=keras.optimizers.Adam(1e-3), loss=dice_loss)
    net.fit(x, y, batch_size=4, epochs=1, verbose=2)
    print(net.predict(x[:2], verbose=0).shape)
