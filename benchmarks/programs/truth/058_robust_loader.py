"""Decode a folder of pictures and leave out the broken ones."""
import tempfile
from pathlib import Path
import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent


def write_pictures(folder, n=6):
    rng = np.random.default_rng(0)
    for i in range(n):
        image = tf.constant(rng.integers(0, 255, (12, 12, 3)), tf.uint8)
        data = tf.io.encode_png(image).numpy()
        if i % 3 == 2:
            data = data[:20]
        (folder / f"pic_{i}.png").write_bytes(data)


def load(path):
    return tf.image.decode_png(tf.io.read_file(str(path)), channels=3)


def load_all(folder):
    good, bad = [], []
    for path in sorted(folder.glob("*.png")):
        try:
            good.append(load(path))
        except tf.errors.InvalidArgumentError as error:
            bad.append(path.name)
            print("skipped", path.name, "-", type(error).__name__, str(error)[:80])
    return tf.stack(good), bad


with tempfile.TemporaryDirectory(dir=HERE) as tmp:
    folder = Path(tmp)
    write_pictures(folder)
    images, bad = load_all(folder)
brightness = tf.reduce_mean(tf.cast(images, tf.float32), axis=[1, 2, 3])
print("loaded", images.shape, "skipped", bad, "brightness", brightness.numpy().round(1))
