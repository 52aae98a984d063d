"""Reads infrared spectra from TFRecord files and trains a polymer classifier.

Instruments sometimes lose power while they write: such files are logged and left out.
"""
import logging
import pathlib
import sys
import tempfile
import traceback

import numpy as np
import tensorflow as tf

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("spectra")

POLYMERS = ["PE", "PP", "PS", "PET"]
POINTS = 128


def spectrum(rng, k):
    grid = np.linspace(0, 1, POINTS)
    peaks = [(0.2, 0.7), (0.25, 0.6), (0.4, 0.9), (0.55, 0.8)][k]
    s = sum(np.exp(-((grid - p) / 0.03) ** 2) for p in peaks)
    return (s + rng.normal(0, 0.1, POINTS)).astype("float32")


def write_instrument_files(root, files=6, rows=60):
    rng = np.random.default_rng(0)
    for f in range(files):
        path = root / f"run_{f:02d}.tfrecord"
        with tf.io.TFRecordWriter(str(path)) as w:
            for _ in range(rows):
                k = int(rng.integers(len(POLYMERS)))
                feats = tf.train.Features(feature={
                    "s": tf.train.Feature(float_list=tf.train.FloatList(value=spectrum(rng, k))),
                    "k": tf.train.Feature(int64_list=tf.train.Int64List(value=[k])),
                })
                w.write(tf.train.Example(features=feats).SerializeToString())
    # what a power cut leaves behind
    cut = root / "run_03.tfrecord"
    cut.write_bytes(cut.read_bytes()[:-200])
    (root / "run_04.tfrecord").write_bytes(b"\0" * 512)


def parse(record):
    ex = tf.io.parse_single_example(record, {
        "s": tf.io.FixedLenFeature([POINTS], tf.float32),
        "k": tf.io.FixedLenFeature([], tf.int64),
    })
    return ex["s"][:, None], ex["k"]


def usable(path):
    try:
        n = sum(1 for _ in tf.data.TFRecordDataset(str(path)).map(parse))
    except tf.errors.DataLossError as e:
        log.error("%s: corrupted, skipped (%s)", path.name, e.message.splitlines()[0])
        if "--trace" in sys.argv or path.name.endswith("03.tfrecord"):
            traceback.print_exc()
        return False
    log.info("%s: %d spectra", path.name, n)
    return True


def build():
    return tf.keras.Sequential([
        tf.keras.Input((POINTS, 1)),
        tf.keras.layers.Conv1D(8, 9, strides=2, activation="relu"),
        tf.keras.layers.Conv1D(16, 9, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(len(POLYMERS)),
    ])


def main():
    tf.keras.utils.set_random_seed(1)
    with tempfile.TemporaryDirectory() as tmp:
        root = pathlib.Path(tmp)
        write_instrument_files(root)
        found = sorted(root.glob("*.tfrecord"))
        good = [p for p in found if usable(p)]
        log.warning("%d of %d files failed the check", len(found) - len(good), len(found))
        if len(good) < 3:
            raise SystemExit("too few usable files")

        *train, last = [str(p) for p in good]
        ds = tf.data.TFRecordDataset(train).map(parse).shuffle(500, seed=2).batch(20)
        held = tf.data.TFRecordDataset(last).map(parse).batch(20)
        model = build()
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        model.fit(ds, validation_data=held, epochs=4, verbose=2)
        log.info("held-out accuracy %.3f", model.evaluate(held, verbose=0)[1])


if __name__ == "__main__":
    main()
