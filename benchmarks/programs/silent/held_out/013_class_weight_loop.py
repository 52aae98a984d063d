import numpy as np
import tensorflow as tf
import keras
from keras import layers

CLASSES = 3


def fraud(n=240, seed=6):
    rng = np.random.default_rng(seed)
    label = rng.choice(CLASSES, size=n, p=[0.8, 0.15, 0.05])
    x = rng.normal(size=(n, 5)) + label[:, None] * np.array([0.8, 0.4, 0, 0, -0.3])
    return x.astype("float32"), label.astype("int64")


def balanced_weights(label):
    count = np.bincount(label, minlength=CLASSES)
    return tf.constant((len(label) / (CLASSES * count)).astype("float32")[:, None])


keras.utils.set_random_seed(10)
x, label = fraud()
weights = balanced_weights(label)
ce = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
net = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(CLASSES)])
opt = keras.optimizers.Adam(0.02)
net.build((None, 5))
data = tf.data.Dataset.from_tensor_slices((x, label)).shuffle(240, seed=1).batch(48)


@tf.function
def train(xb, yb):
    with tf.GradientTape() as tape:
        losses = ce(yb, net(xb, training=True))
        row_w = tf.gather(weights, yb)
        loss = tf.reduce_mean(losses * row_w)
    grads = tape.gradient(loss, net.trainable_variables)
    opt.apply_gradients(zip(grads, net.trainable_variables))
    return loss


for epoch in range(8):
    running = [float(train(xb, yb)) for xb, yb in data]
guess = np.argmax(net(x).numpy(), axis=1)
print("loss %.4f" % np.mean(running))
print("share predicted as rare class: %.3f" % np.mean(guess == 2))
