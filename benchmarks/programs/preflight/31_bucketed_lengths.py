"""DNA reads in buckets of similar length: every batch has its own length and its own number of rows."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(31)
BASES = "ACGT"


def reads():
    rng = np.random.default_rng(31)
    for _ in range(260):
        length = int(rng.integers(8, 60))
        sequence = rng.integers(0, 4, length)
        gc = np.isin(sequence, [1, 2]).mean()
        yield sequence + 1, np.float32(gc)


signature = (tf.TensorSpec(shape=(None,), dtype=tf.int32), tf.TensorSpec(shape=(), dtype=tf.float32))
ds = tf.data.Dataset.from_generator(reads, output_signature=signature)
ds = ds.bucket_by_sequence_length(
    element_length_func=lambda sequence, gc: tf.shape(sequence)[0],
    bucket_boundaries=[20, 40],
    bucket_batch_sizes=[32, 16, 8],
)

sequence = tf.keras.Input((None,), dtype=tf.int32)
x = tf.keras.layers.Embedding(5, 6)(sequence)
x = tf.keras.layers.Conv1D(12, 5, padding="causal", activation="relu")(x)
x = tf.keras.layers.GlobalAveragePooling1D()(x)
gc = tf.keras.layers.Dense(1, activation="sigmoid")(x)
model = tf.keras.Model(sequence, gc)
model.compile("adam", "mse", metrics=["mae"])

shapes = sorted({tuple(batch.shape) for batch, _ in ds})
print(len(shapes), "different batch shapes, from", shapes[0], "to", shapes[-1])
model.fit(ds, epochs=2, verbose=2)
read = np.array([[BASES.index(b) + 1 for b in "GCGCGCATATGCGC"]])
print("GC content, predicted:", float(model.predict(read, verbose=0)[0, 0]))
