"""Reviews of different length, padded per batch."""
import tensorflow as tf
import numpy as np

tf.keras.utils.set_random_seed(4)
VOCAB = 200
rng = np.random.default_rng(4)


def reviews(count, seed):
    def generate():
        r = np.random.default_rng(seed)
        for _ in range(count):
            positive = r.random() < 0.5
            length = int(r.integers(3, 30))
            low, high = (1, 120) if positive else (80, VOCAB)
            yield r.integers(low, high, size=length), np.float32(positive)

    return tf.data.Dataset.from_generator(
        generate, output_signature=(tf.TensorSpec((None,), tf.int64), tf.TensorSpec((), tf.float32))
    )


train_ds = reviews(300, 1).padded_batch(32)
valid_ds = reviews(70, 2).padded_batch(32)

model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(VOCAB, 16, mask_zero=True),
        tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(8)),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
    optimizer="adam",
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
)
hist = model.fit(train_ds, validation_data=valid_ds, epochs=3, verbose=2)
print("loss per epoch:", [round(v, 3) for v in hist.history["loss"]])
one = tf.constant([[3, 8, 15, 100, 7]])
print("one review:", float(model.predict(one, verbose=0)[0, 0]))
