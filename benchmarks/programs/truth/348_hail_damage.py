"""Hail damage to solar panels: severity head and area head, one of them detached."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def panels(n, seed):
    rng = np.random.default_rng(seed)
    img = rng.normal(scale=0.1, size=(n, 16, 24, 1))
    hits = rng.integers(0, 6, size=n)
    for i, h in enumerate(hits):
        for _ in range(h):
            r, c = rng.integers(0, 16), rng.integers(0, 24)
            img[i, r, c, 0] += 2.0
    return img.astype("float32"), hits.astype("float32")[:, None]


class DamageModel(keras.Model):
    def __init__(self, filters=6):
        super().__init__()
        self.stem = layers.Conv2D(filters, 3, padding="same", activation="relu", name="stem")
        self.pool = layers.GlobalAveragePooling2D()
        self.area_head = layers.Dense(1, name="area")
        self.severity_head = layers.Dense(1, name="severity")

    def call(self, x):
        h = self.stem(x)
        area = self.area_head(self.pool(h))
        peak = tf.reduce_max(h, axis=[1, 2])
        level = self.severity_head(peak)
        severity = tf.cast(tf.round(level), tf.float32)
        return {"area": area, "severity": severity}


class JointLoss:
    def __init__(self, area_weight=1.0, severity_weight=0.5):
        self.area_weight = area_weight
        self.severity_weight = severity_weight

    def __call__(self, hits, out):
        area = tf.reduce_mean(tf.square(out["area"] - hits * 0.01))
        severity = tf.reduce_mean(tf.abs(out["severity"] - hits))
        return self.area_weight * area + self.severity_weight * severity


def train(model, img, hits, epochs, batch):
    opt = keras.optimizers.Adam(0.01)
    loss_fn = JointLoss()
    ds = tf.data.Dataset.from_tensor_slices((img, hits)).batch(batch)
    for epoch in range(epochs):
        total = 0.0
        for x, y in ds:
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x))
            grads = tape.gradient(loss, model.trainable_variables)
            opt.apply_gradients(zip(grads, model.trainable_variables))
            total += float(loss)
        print(f"epoch {epoch} loss {total:.4f}")


def main():
    keras.utils.set_random_seed(8)
    img, hits = panels(48, seed=12)
    model = DamageModel()
    model(img[:1])
    before = model.severity_head.get_weights()[0].copy()
    train(model, img, hits, epochs=3, batch=16)
    moved = np.abs(model.severity_head.get_weights()[0] - before).max()
    print("severity head moved by", float(moved))


if __name__ == "__main__":
    main()
