"""Reads a drifting store of accelerometer records; damaged records are counted and set aside."""
import collections
import logging
import os
import tempfile

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("store")

AXES = 3
FEATURES = {
    "signal": tf.io.FixedLenFeature([32 * AXES], tf.float32),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def example(signal, label):
    feature = {
        "signal": tf.train.Feature(float_list=tf.train.FloatList(value=signal.ravel())),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def write_shard(path, n, rng, short=()):
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(n):
            samples = 20 if i in short else 32
            writer.write(example(rng.normal(size=(samples, AXES)), int(rng.integers(0, 4))))


def truncate(path, share):
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        f.truncate(int(size * share))


def parse(raw):
    record = tf.io.parse_single_example(raw, FEATURES)
    return tf.reshape(record["signal"], [32, AXES]), record["label"]


def read_shard(path, report):
    """Yields the good records of a shard and writes what happened to the others into `report`."""
    records = iter(tf.data.TFRecordDataset(path))
    while True:
        try:
            raw = next(records)
        except StopIteration:
            return
        except tf.errors.DataLossError as e:
            log.error("shard %s ends early: %s", os.path.basename(path), e.message)
            report["DataLossError"] += 1
            return
        try:
            yield parse(raw)
        except tf.errors.InvalidArgumentError as e:
            log.error("record set aside: %s", e.message[:140])
            report["InvalidArgumentError"] += 1


def energy(signals):
    try:
        return tf.linalg.trace(tf.matmul(signals, signals, transpose_b=True))
    except tf.errors.InvalidArgumentError:
        log.exception("energy of %s", signals.shape)
        return None


def main():
    rng = np.random.default_rng(6)
    report = collections.Counter()
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for shard, short in enumerate([(), (2, 5), ()]):
            path = os.path.join(folder, f"acc-{shard}.tfrecord")
            write_shard(path, 8, rng, short)
            if shard == 2:
                truncate(path, 0.55)
            kept.extend(read_shard(path, report))
        kept.extend(read_shard(os.path.join(folder, "acc-0.tfrecord"), report))
    signals = tf.stack([s for s, _ in kept])
    energies = energy(signals)
    probe = energy(tf.ones([2, 3]))
    assert probe is not None
    try:
        tf.matmul(signals[0], signals[1])
    except tf.errors.InvalidArgumentError as e:
        log.exception("self-test of the error path: %s", type(e).__name__)
        report["self-test"] += 1
    print("kept", signals.shape, "mean energy", float(tf.reduce_mean(energies)))
    print("report", dict(report))
    assert report["InvalidArgumentError"] == 2 and report["DataLossError"] == 1
    print("all checks of the store passed")


if __name__ == "__main__":
    main()
