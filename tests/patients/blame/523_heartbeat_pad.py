# ECG beats of different length -> fixed length -> 1D CNN
import numpy as np
import tensorflow as tf

MAX_LEN = 180
CLASSES = 4


def beat_generator():
    rng = np.random.default_rng(21)
    for _ in range(48):
        n = int(rng.integers(120, 220))
        yield rng.normal(size=n).astype(np.float32), int(rng.integers(CLASSES))


def fix_length(beat, label):
    missing = tf.maximum(MAX_LEN - tf.shape(beat)[0], 0)
    beat = tf.pad(beat, [[0, missing]])
    return beat, label


def normalise(beat, label):
    beat = (beat - tf.reduce_mean(beat)) / (tf.math.reduce_std(beat) + 1e-6)
    return beat[:, tf.newaxis], label


ds = tf.data.Dataset.from_generator(
    beat_generator,
    output_signature=(tf.TensorSpec(shape=(None,), dtype=tf.float32),
                      tf.TensorSpec(shape=(), dtype=tf.int32)))
ds = ds.map(fix_length).map(normalise)
ds = ds.batch(16)

kernel = tf.Variable(tf.random.normal([7, 1, 8], stddev=0.1))
dense = tf.Variable(tf.random.normal([8, CLASSES], stddev=0.1))
optimizer = tf.keras.optimizers.SGD(0.05)

for step, (x, y) in enumerate(ds):
    with tf.GradientTape() as tape:
        h = tf.nn.relu(tf.nn.conv1d(x, kernel, stride=2, padding="SAME"))
        logits = tf.reduce_max(h, axis=1) @ dense
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    optimizer.apply_gradients(zip(tape.gradient(loss, [kernel, dense]), [kernel, dense]))
    print(step, x.shape, float(loss))
