"""Remember the best epoch of a classifier of seismic events."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(38)


class BestEpoch(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.best = -1.0
        self.epoch = None

    def on_epoch_end(self, epoch, logs=None):
        accuracy = logs["val_acc"]
        if accuracy > self.best:
            self.best, self.epoch = accuracy, epoch
            self.model.save_weights("best.weights.h5")


def events(n, seed):
    rng = np.random.default_rng(seed)
    quake = rng.random(n) < 0.5
    t = np.arange(100)
    decay = np.where(quake, 30.0, 8.0)[:, None]
    trace = np.exp(-t / decay) * np.sin(t / rng.uniform(1, 3, (n, 1))) + rng.normal(0, 0.1, (n, 100))
    return tf.data.Dataset.from_tensor_slices((trace.astype("float32"), quake.astype("int32"))).batch(25)


train, valid = events(250, 1), events(75, 2)
model = tf.keras.Sequential(
    [
        tf.keras.Input((100,)),
        tf.keras.layers.Reshape((100, 1)),
        tf.keras.layers.Conv1D(8, 11, strides=3, activation="relu"),
        tf.keras.layers.GlobalMaxPooling1D(),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
keeper = BestEpoch()
model.fit(train, validation_data=valid, epochs=4, callbacks=[keeper], verbose=0)
print("best epoch", keeper.epoch, "with", keeper.best)
