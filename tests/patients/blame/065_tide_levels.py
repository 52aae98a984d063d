import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(96)
BATCH = 8
SEQ = 6


def tide(n=104):
    t = np.arange(n + SEQ)
    level = np.sin(t * 2 * np.pi / 12.4) + 0.3 * np.sin(t * 2 * np.pi / 24)
    x = np.stack([level[i:i + SEQ] for i in range(n)])[..., None]
    return x.astype("float32"), level[SEQ:SEQ + n].astype("float32")


def split(x, y):
    n_train = int(len(x) * 0.8)
    return (x[:n_train], y[:n_train]), (x[n_train:], y[n_train:])


def stateful_model():
    m = keras.Sequential()
    m.add(layers.Input(batch_shape=(BATCH, SEQ, 1)))
    m.add(layers.GRU(12, stateful=True))
    m.add(layers.Dense(1))
    m.compile(loss="mse", optimizer=keras.optimizers.Adam(0.01))
    return m


x, y = tide()
train, valid = split(x, y)
print("train/valid rows:", len(train[0]), len(valid[0]))
model = stateful_model()
history = model.fit(*train, validation_data=valid, batch_size=BATCH, epochs=2,
                    shuffle=False, verbose=0)
print(history.history["val_loss"])
