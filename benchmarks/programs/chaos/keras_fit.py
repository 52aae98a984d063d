"""Keras fit; a callback at the end of the first epoch meets the bench."""
import keras
import numpy as np
import tensorflow as tf
from meeting import finish, meet

keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()


class Meet(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 0:
            meet()


x = np.random.default_rng(1).normal(size=(200, 6)).astype("float32")
y = (x[:, 0] * x[:, 1] > 0).astype("float32")
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy")
history = model.fit(x, y, epochs=3, verbose=0, callbacks=[Meet()])
for loss in history.history["loss"]:
    print(f"loss {loss:.6f}")
np.save("weights.npy", np.concatenate([w.ravel() for w in model.get_weights()]))
finish()
