import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tempfile
import numpy as np
import tensorflow as tf

SIDE = 20
rng = np.random.default_rng(123)


def bytes_feature(b):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[b]))


def int_feature(i):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))


def write_shard(path, count):
    with tf.io.TFRecordWriter(path) as out:
        for _ in range(count):
            kind = int(rng.integers(3))
            cell = rng.normal(kind, 1.0, (SIDE, SIDE, 2))
            example = tf.train.Example(features=tf.train.Features(feature={
                "pixels": bytes_feature(cell.tobytes()),
                "kind": int_feature(kind),
            }))
            out.write(example.SerializeToString())


SPEC = {
    "pixels": tf.io.FixedLenFeature([], tf.string),
    "kind": tf.io.FixedLenFeature([], tf.int64),
}


def parse(record):
    ex = tf.io.parse_single_example(record, SPEC)
    cell = tf.io.decode_raw(ex["pixels"], tf.float32)
    cell = tf.reshape(cell, (SIDE, SIDE, 2))
    return tf.cast(cell, tf.float32), ex["kind"]


with tempfile.TemporaryDirectory() as where:
    shards = [os.path.join(where, f"cells-{i}.tfrecord") for i in range(2)]
    for s in shards:
        write_shard(s, 16)

    train = (
        tf.data.TFRecordDataset(shards)
        .map(parse, num_parallel_calls=tf.data.AUTOTUNE)
        .shuffle(32)
        .batch(8)
    )
    cnn = tf.keras.Sequential([
        tf.keras.Input((SIDE, SIDE, 2)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(3),
    ])
    cnn.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    cnn.fit(train, epochs=2, verbose=0)
    print(cnn.evaluate(train, verbose=0))
