import keras
import numpy as np
import tensorflow as tf


def train(model, ds, epochs, lr):
    opt = keras.optimizers.Adam(lr)
    xent = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for epoch in range(epochs):
        total = []
        for users, items, side in ds:
            with tf.GradientTape() as tape:
                scores = model.logits(users, items, side)
                loss = xent(tf.range(tf.shape(scores)[0]), scores)
            v = model.trainable_variables
            opt.apply_gradients(zip(tape.gradient(loss, v), v))
            total.append(float(loss))
        print(f"epoch {epoch + 1} in-batch loss {np.mean(total):.3f}")


def hit_rate(model, held_out, side, k):
    items = tf.range(side.shape[0])
    scores = model.logits(held_out["user"].to_numpy("int32"), items, side)
    top = tf.math.top_k(scores, k).indices.numpy()
    return np.mean([i in row for i, row in zip(held_out["item"], top)])
