import keras
from keras import layers


def build_forecaster(n_assets, horizon, lookback, units, dropout=0.0):
    """GRU encoder, direct multi-step head.

    The last observed value is added back, so the network learns the change.
    """
    x = keras.Input((None, n_assets), name="log_rv")
    h = layers.GRU(units, return_sequences=True)(x)
    h = layers.GRU(units)(h)
    h = layers.Dropout(dropout)(h)
    delta = layers.Dense(horizon * n_assets, kernel_initializer="zeros")(h)
    delta = layers.Reshape((horizon, n_assets))(delta)
    last = layers.Lambda(lambda t: t[:, -1:], output_shape=(1, n_assets))(x)
    y = layers.Add()([delta, layers.UpSampling1D(horizon)(last)])
    return keras.Model(x, y, name=f"gru_{lookback}_{horizon}")


def qlike(y_true, y_pred):
    d = y_true - y_pred
    return keras.ops.mean(keras.ops.exp(d) - d - 1.0, axis=-1)
