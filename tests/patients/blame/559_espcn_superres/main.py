import argparse

import numpy as np
import tensorflow as tf

from espcn import espcn

ap = argparse.ArgumentParser()
ap.add_argument("--scale", type=int, default=3)
ap.add_argument("--crop", type=int, default=36)
ap.add_argument("--batch", type=int, default=4)
cfg = ap.parse_args([])


def pairs(n=8):
    rng = np.random.default_rng(0)
    hr = tf.constant(rng.random((n, cfg.crop, cfg.crop, 3)), tf.float32)
    lr = tf.image.resize(hr, [cfg.crop // cfg.scale] * 2, method="area")
    return tf.data.Dataset.from_tensor_slices((lr, hr)).batch(cfg.batch)


def psnr(y, p):
    return tf.image.psnr(y, p, max_val=1.0)


model = espcn(cfg.scale)
model.compile(optimizer="adam", loss="mae", metrics=[psnr])
model.fit(pairs(), epochs=1, verbose=2)
