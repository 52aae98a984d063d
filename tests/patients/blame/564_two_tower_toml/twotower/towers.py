import keras
import tensorflow as tf
from keras import layers


class Tower(keras.Model):
    """Embedding of an id, optional dense side features, MLP, unit length output."""

    def __init__(self, vocabulary, embedding, hidden, name):
        super().__init__(name=name)
        self.embedding = layers.Embedding(vocabulary, embedding)
        self.mlp = [layers.Dense(h, activation="relu") for h in hidden[:-1]]
        self.mlp.append(layers.Dense(hidden[-1]))

    def call(self, ids, side=None):
        h = self.embedding(ids)
        if side is not None:
            h = tf.concat([h, side], axis=-1)
        for layer in self.mlp:
            h = layer(h)
        return tf.math.l2_normalize(h, axis=-1)


class Retrieval(keras.Model):
    def __init__(self, user_tower, item_tower, temperature):
        super().__init__()
        self.user_tower = user_tower
        self.item_tower = item_tower
        self.temperature = temperature

    def logits(self, users, items, side):
        u = self.user_tower(users)
        v = self.item_tower(items, side)
        return tf.matmul(u, v, transpose_b=True) / self.temperature
