import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIDE = 24


def upsample_block(x, filters):
    x = layers.UpSampling2D(2)(x)
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


def flood_net(bands):
    inp = layers.Input((SIDE, SIDE, bands))
    a = layers.Conv2D(8, 3, padding="same", activation="relu")(inp)
    b = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(a)
    c = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(b)
    x = upsample_block(c, 8)
    x = layers.Concatenate()([x, b])
    x = upsample_block(x, 8)
    x = layers.Concatenate()([x, a])
    return tf.keras.Model(inp, layers.Conv2D(1, 1)(x))


def radar_scenes(n, bands, seed):
    rng = np.random.default_rng(seed)
    water = (rng.random((n, SIDE, SIDE)) < 0.4).astype("float32")
    x = rng.normal(size=(n, SIDE, SIDE, bands)) - water[..., None]
    return x.astype("float32"), water


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = tf.keras.optimizers.Adam(lr)
        self.iou = tf.keras.metrics.BinaryIoU(target_class_ids=[1])

    def logits(self, x, training):
        return tf.squeeze(self.model(x, training=training), axis=1)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            z = self.logits(x, True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def evaluate(self, x, y):
        self.iou.update_state(y, tf.sigmoid(self.logits(x, False)))
        return float(self.iou.result())


trainer = Trainer(flood_net(bands=2))
x, y = radar_scenes(8, 2, seed=0)
for i in range(2):
    print("loss", float(trainer.step(x[4 * i:4 * i + 4], y[4 * i:4 * i + 4])))
print("iou", trainer.evaluate(*radar_scenes(4, 2, seed=1)))
