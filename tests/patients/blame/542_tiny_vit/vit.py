import keras
from keras import layers, ops


class ClassToken(layers.Layer):
    def build(self, shape):
        self.token = self.add_weight(shape=(1, 1, shape[-1]), initializer="zeros", name="cls")

    def call(self, x):
        t = ops.broadcast_to(self.token, (ops.shape(x)[0], 1, x.shape[-1]))
        return ops.concatenate([t, x], axis=1)


class AddPosition(layers.Layer):
    def __init__(self, length, **kw):
        super().__init__(**kw)
        self.length = length

    def build(self, shape):
        self.table = self.add_weight(shape=(self.length, shape[-1]), initializer="random_normal", name="pos")

    def call(self, x):
        return x + self.table


def block(x, s):
    y = layers.LayerNormalization()(x)
    x = layers.Add()([x, layers.MultiHeadAttention(s.heads, s.dim // s.heads)(y, y)])
    y = layers.LayerNormalization()(x)
    y = layers.Dense(s.dim * 2, activation="gelu")(y)
    return layers.Add()([x, layers.Dense(s.dim)(y)])


def build(s):
    inp = keras.Input((s.image, s.image, 3))
    x = layers.Conv2D(s.dim, s.patch, strides=s.patch)(inp)
    x = layers.Reshape((-1, s.dim))(x)
    x = ClassToken()(x)
    x = AddPosition(s.n_patches + 1)(x)
    for _ in range(s.depth):
        x = block(x, s)
    x = layers.LayerNormalization()(x)
    return keras.Model(inp, layers.Dense(s.classes, activation="softmax")(x[:, 0]))
