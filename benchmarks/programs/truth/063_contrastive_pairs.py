"""Contrastive pre-training: similarity of every image with every caption."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(15)


class TwoTower(tf.keras.Model):
    def __init__(self, dim=8, temperature=0.1):
        super().__init__()
        self.image, self.caption = tf.keras.layers.Dense(dim), tf.keras.layers.Dense(dim)
        self.temperature = temperature

    def call(self, inputs):
        a = tf.math.l2_normalize(self.image(inputs["image"]), axis=1)
        b = tf.math.l2_normalize(self.caption(inputs["caption"]), axis=1)
        return tf.matmul(a, b, transpose_b=True) / self.temperature

    def train_step(self, inputs):
        with tf.GradientTape() as tape:
            similarity = self(inputs, training=True)
            labels = tf.range(tf.shape(similarity)[0])
            rows = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, similarity)
            columns = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.transpose(similarity))
            loss = tf.reduce_mean(rows + columns) / 2
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {"contrastive": loss}


rng = np.random.default_rng(15)
topic = rng.normal(size=(80, 5)).astype("float32")
pairs = {"image": topic @ rng.normal(size=(5, 20)).astype("float32"),
         "caption": topic @ rng.normal(size=(5, 12)).astype("float32")}
model = TwoTower()
model.compile(optimizer="adam", jit_compile=True)
h = model.fit(tf.data.Dataset.from_tensor_slices(pairs).batch(16), epochs=3, verbose=0)
print("similarity", model({k: v[:16] for k, v in pairs.items()}).shape, "loss", round(h.history["contrastive"][-1], 3))
