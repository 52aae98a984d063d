import argparse

import tensorflow as tf

from encoders import Stager
from records import night

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=3)
ap.add_argument("--batch", type=int, default=16)
args = ap.parse_args()

tf.random.set_seed(0)
signal, stages = night(64)
print("night:", signal.shape, "stages:", stages.shape)

model = Stager()
ds = tf.data.Dataset.from_tensor_slices((signal, stages)).shuffle(64, seed=2).batch(args.batch)

for epoch in range(args.epochs):
    mean = tf.keras.metrics.Mean()
    for xb, yb in ds:
        with tf.GradientTape() as tape:
            logits = model(xb)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(yb, logits))
        for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            v.assign_sub(0.1 * g)
        mean.update_state(loss)
    print("epoch", epoch, "loss %.4f" % mean.result().numpy())
