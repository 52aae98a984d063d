import numpy as np
import tensorflow as tf

from settings import Config
from unet import build


def fake_cells(cfg, n=4):
    rng = np.random.default_rng(0)
    img = rng.random((n, cfg.side, cfg.side, cfg.channels), dtype=np.float32)
    return img, (img > 0.7).astype("float32")


if __name__ == "__main__":
    cfg = Config()
    net = build(cfg)
    net.compile(optimizer=tf.keras.optimizers.Adam(cfg.lr), loss="binary_crossentropy", jit_compile=False)
    images, masks = fake_cells(cfg)
    net.fit(images, masks, batch_size=cfg.batch, epochs=1, verbose=2)
