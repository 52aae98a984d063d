import keras
import numpy as np
import tensorflow as tf

xent = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def run_epoch(model, data, opt=None):
    losses = []
    for x, y in data:
        with tf.GradientTape() as tape:
            logits, _ = model(x, model.start())
            loss = xent(y, logits)
        if opt is not None:
            v = model.trainable_variables
            g, _ = tf.clip_by_global_norm(tape.gradient(loss, v), 1.0)
            opt.apply_gradients(zip(g, v))
        losses.append(float(loss))
    return float(np.mean(losses)) / np.log(2)
