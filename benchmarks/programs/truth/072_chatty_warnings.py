"""Library warnings that can be lived with."""
import warnings
import numpy as np
import pandas as pd
import tensorflow as tf


def old_helper(x):
    warnings.warn("old_helper() is deprecated and will raise an error in version 9", DeprecationWarning, stacklevel=2)
    return x * 2


def ratios(frame):
    return np.divide(frame["a"].to_numpy(), frame["b"].to_numpy())


frame = pd.DataFrame({"a": [1.0, 2.0, 0.0], "b": [2.0, 0.0, 0.0]})
r = ratios(frame)
warnings.warn("2 ratios are not finite and will be replaced", RuntimeWarning)
r = np.where(np.isfinite(r), r, 0.0)
warnings.simplefilter("always")
x = old_helper(tf.constant(r, tf.float32))
model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
y = model(x[None])
print("ratios", r, "output", y.shape)
frame.loc[frame.a > 1, "a"] = 5
print(frame.sum().to_dict())
