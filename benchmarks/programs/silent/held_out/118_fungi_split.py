"""Edible or not, from spectra that hardly tell; how much can be learned?"""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(61)
rng = np.random.default_rng(61)
ROWS, BANDS, HOLD = 160, 24, 40

spectra = rng.normal(0, 1, (ROWS, BANDS)).astype("float32")
edible = rng.integers(0, 2, (ROWS, 1)).astype("float32")

everything = tf.data.Dataset.from_tensor_slices((spectra, edible))
everything = everything.shuffle(ROWS, seed=8)
check = everything.take(HOLD).batch(HOLD)
learn = everything.skip(HOLD).shuffle(ROWS, seed=9).batch(20)

model = tf.keras.Sequential([
    tf.keras.Input((BANDS,)),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0, name="accuracy")],
)
log = model.fit(learn, validation_data=check, epochs=25, verbose=0)

tail = np.mean(log.history["val_accuracy"][-5:])
print(f"training accuracy {log.history['accuracy'][-1]:.3f}")
print(f"validation accuracy, last five epochs {tail:.3f}")
print("spectra are informative" if tail > 0.75 else "spectra carry little")
