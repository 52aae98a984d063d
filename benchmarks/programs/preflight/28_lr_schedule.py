import numpy as np
import tensorflow as tf
from tensorflow.keras.callbacks import LearningRateScheduler

tf.keras.utils.set_random_seed(28)

EPOCHS = 5
RATES = [1e-2, 5e-3, 1e-3]  # warm, medium, fine


def schedule(epoch, lr):
    rate = RATES[epoch]
    print(f"epoch {epoch}: learning rate {rate}")
    return rate


angles = np.random.default_rng(28).uniform(-np.pi, np.pi, (512, 2)).astype("float32")
# forward kinematics of an arm with two links
reach = np.stack(
    [
        np.cos(angles[:, 0]) + 0.7 * np.cos(angles.sum(1)),
        np.sin(angles[:, 0]) + 0.7 * np.sin(angles.sum(1)),
    ],
    axis=1,
).astype("float32")

model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((2,)),
        tf.keras.layers.Lambda(lambda a: tf.concat([tf.sin(a), tf.cos(a)], axis=-1)),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(2),
    ]
)
model.compile(optimizer=tf.keras.optimizers.SGD(momentum=0.9), loss="mse")
model.fit(angles, reach, batch_size=64, epochs=EPOCHS, callbacks=[LearningRateScheduler(schedule)], verbose=0)
print("error:", model.evaluate(angles, reach, verbose=0))
