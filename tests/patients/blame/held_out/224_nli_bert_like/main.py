import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

import settings
from encoder import Encoder
from tokens import Tokenizer

PREMISES = [
    "a man is playing a guitar on the small stage near the river",
    "two dogs run through deep snow",
    "a child eats an apple",
    "several people are waiting for the last bus to the airport tonight",
]
tok = Tokenizer(PREMISES)
ids = tok.batch(PREMISES * 8)
labels = np.tile(np.array([0, 1, 2, 0]), 8)

encoder = Encoder(tok.size, settings.DIM, settings.LAYERS)
head = tf.keras.layers.Dense(3)
optimizer = tf.keras.optimizers.AdamW(1e-3)
xent = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

for step in range(3):
    pick = np.random.RandomState(step).permutation(len(ids))[:settings.BATCH]
    with tf.GradientTape() as tape:
        hidden = encoder(ids[pick])
        loss = xent(labels[pick], head(hidden[:, 0]))
    params = encoder.trainable_variables + head.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, params), params))
    print(step, float(loss))
