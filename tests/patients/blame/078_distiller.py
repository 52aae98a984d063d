import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(109)
CLASSES = ["cat", "dog", "cow", "horse", "sheep", "bird", "bear", "zebra"]
COMMON = CLASSES[:6]


def mlp(name, units, classes):
    net = keras.Sequential(name=name)
    for u in units:
        net.add(layers.Dense(u, activation="relu"))
    net.add(layers.Dense(classes))
    return net


class Distiller(keras.Model):
    def __init__(self, student, teacher, temperature=3.0):
        super().__init__()
        self.student, self.teacher, self.t = student, teacher, temperature
        self.teacher.trainable = False
        self.kld = keras.losses.KLDivergence()

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        soft = tf.nn.softmax(self.teacher(x) / self.t)
        pred = tf.nn.softmax(y_pred / self.t)
        hard = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(y, [-1]), y_pred)
        return tf.reduce_mean(hard) + self.t ** 2 * self.kld(soft, pred)

    def call(self, x):
        return self.student(x)


rng = np.random.default_rng(109)
x = rng.normal(size=(64, 30)).astype("float32")
y = rng.integers(0, len(COMMON), 64)

teacher = mlp("teacher", units=(48, 24), classes=len(CLASSES))
teacher.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
teacher.fit(x, y, epochs=1, verbose=0)

student = mlp("student", units=(12,), classes=len(COMMON))
distiller = Distiller(student, teacher)
distiller.compile("adam")
distiller.fit(x, y, batch_size=16, epochs=1, verbose=0)
