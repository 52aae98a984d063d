"""Write and read galaxy cut-outs as TFRecords."""
import tempfile
from pathlib import Path
import numpy as np
import tensorflow as tf

HERE = Path(__file__).resolve().parent
SIDE = 5


def example(image, redshift, survey):
    feature = {
        "image": tf.train.Feature(float_list=tf.train.FloatList(value=image.ravel())),
        "redshift": tf.train.Feature(float_list=tf.train.FloatList(value=[redshift])),
        "survey": tf.train.Feature(bytes_list=tf.train.BytesList(value=[survey.encode()])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def write(path, n):
    rng = np.random.default_rng(4)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(n):
            bands = 3 if i % 5 else 4
            writer.write(example(rng.random((SIDE, SIDE, bands)), rng.random(), "north"))


SCHEMA = {
    "image": tf.io.FixedLenFeature([SIDE, SIDE, 3], tf.float32),
    "redshift": tf.io.FixedLenFeature([], tf.float32),
    "survey": tf.io.FixedLenFeature([], tf.string, default_value="unknown"),
}


def read(path):
    return tf.data.TFRecordDataset(str(path)).map(lambda r: tf.io.parse_single_example(r, SCHEMA)).batch(4)


with tempfile.TemporaryDirectory(dir=HERE) as tmp:
    path = Path(tmp) / "galaxies.tfrecord"
    write(path, 12)
    for batch in read(path):
        print(batch["image"].shape, batch["redshift"].numpy().round(2))
