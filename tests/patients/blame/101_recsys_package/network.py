import keras
from keras import layers, ops

from blocks import Cross


class DCN(keras.Model):
    def __init__(self, users, items, dim=8, n_cross=2):
        super().__init__()
        self.users = layers.Embedding(users, dim)
        self.items = layers.Embedding(items, dim)
        self.cross = [Cross(dim) for _ in range(n_cross)]
        self.score = layers.Dense(1, activation="sigmoid")

    def call(self, pair):
        x0 = ops.concatenate([self.users(pair[:, 0]), self.items(pair[:, 1])], axis=-1)
        x = x0
        for layer in self.cross:
            x = layer(x0, x)
        return self.score(x)
