import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

from soundings import load_profiles, vertical_weights
from replicas import make_strategy

profiles, labels = load_profiles(n=128)
weights = vertical_weights(levels=profiles.shape[1])

strategy = make_strategy(count=2)
print("replicas:", strategy.num_replicas_in_sync)

with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.Input((profiles.shape[1],)),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer="sgd", loss="binary_crossentropy")

model.fit(profiles * np.asarray(weights), labels, batch_size=32, epochs=2, verbose=2)
