import json
import os

import numpy as np
import tensorflow as tf

import patches
from cover import CoverHead

HERE = os.path.dirname(os.path.abspath(__file__))


def photographs(cfg, n, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.1, 0.5, size=(n, 1, 1, cfg["bands"]))
    img = base + 0.1 * rng.standard_normal((n, cfg["image"], cfg["image"], cfg["bands"]))
    cover = rng.dirichlet(np.ones(len(cfg["classes"])), size=n)
    return img.astype("float32"), cover.astype("float32")


def main():
    with open(os.path.join(HERE, "settings.json")) as fh:
        cfg = json.load(fh)
    tf.random.set_seed(1)
    images, cover = photographs(cfg, 24)
    count = patches.patches_per_image(cfg)
    print("patches per photograph:", count)
    d_in = cfg["patch"] ** 2 * cfg["bands"]
    head = CoverHead(count, d_in, cfg["width"], len(cfg["classes"]))
    ds = tf.data.Dataset.from_tensor_slices((images, cover)).batch(cfg["batch"])

    for epoch in range(2):
        total = 0.0
        for x, y in ds:
            flat = patches.flatten(patches.cut(x, cfg), cfg, count)
            with tf.GradientTape() as tape:
                p = head(flat)
                loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(p + 1e-6), -1))
            grads = tape.gradient(loss, head.trainable_variables)
            for v, g in zip(head.trainable_variables, grads):
                v.assign_sub(0.05 * g)
            total += float(loss)
        print(f"epoch {epoch}: {total:.4f}")


if __name__ == "__main__":
    main()
