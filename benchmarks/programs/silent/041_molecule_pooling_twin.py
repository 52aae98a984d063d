import numpy as np
import tensorflow as tf
import keras
from keras import layers

MOLECULES, ATOMS = 12, 60


class Readout(keras.Model):
    def __init__(self):
        super().__init__()
        self.atom = layers.Dense(8)
        self.head = layers.Dense(1)

    def call(self, feat, owner):
        h = self.atom(feat)
        pooled = tf.math.unsorted_segment_sum(h, owner, MOLECULES)
        return self.head(pooled)


def dataset(seed=0):
    rng = np.random.default_rng(seed)
    owner = np.sort(np.concatenate([np.arange(MOLECULES), rng.integers(0, MOLECULES, ATOMS - MOLECULES)]))
    feat = rng.normal(size=(ATOMS, 4)).astype("float32")
    y = np.zeros((MOLECULES, 1), "float32")
    np.add.at(y[:, 0], owner, feat[:, 0])
    return feat, owner.astype("int32"), y


keras.utils.set_random_seed(41)
feat, owner, y = (tf.constant(v) for v in dataset())
model, lr = Readout(), 1e-2
model(feat, tf.zeros_like(owner))


@tf.function(jit_compile=True)
def step(feat, owner, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(feat, owner) - y))
    for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
        v.assign_sub(lr * g)
    return loss


for epoch in range(300):
    loss = step(feat, owner, y)
print("energy loss %.4f" % float(loss))
