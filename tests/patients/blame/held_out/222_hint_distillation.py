import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

HINT_DIM = 24


def make_teacher():
    return keras.Sequential([
        keras.Input((20,)),
        layers.Dense(48, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(HINT_DIM, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(5),
    ], name="teacher")


def make_student():
    inp = keras.Input((20,))
    small = layers.Dense(8, activation="relu")(inp)
    hint = layers.Dense(HINT_DIM, name="hint")(small)
    logits = layers.Dense(5, name="logits")(small)
    return keras.Model(inp, [hint, logits], name="student")


class Distiller(keras.Model):
    def __init__(self, student, teacher, temperature=3.0, alpha=0.3):
        super().__init__()
        self.student = student
        self.guide = keras.Model(
            teacher.inputs,
            [teacher.layers[-4].output, teacher.outputs[0]],
        )
        self.guide.trainable = False
        self.temperature, self.alpha = temperature, alpha

    def call(self, x):
        return self.student(x)[1]

    def train_step(self, data):
        x, y = data
        t_hint, t_logits = self.guide(x, training=False)
        with tf.GradientTape() as tape:
            s_hint, s_logits = self.student(x, training=True)
            hard = self.compute_loss(x=x, y=y, y_pred=s_logits)
            soft = keras.losses.KLDivergence()(
                tf.nn.softmax(t_logits / self.temperature),
                tf.nn.softmax(s_logits / self.temperature),
            )
            match = tf.reduce_mean(tf.math.squared_difference(s_hint, t_hint))
            loss = self.alpha * hard + (1 - self.alpha) * soft + match
        v = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, v), v))
        return {"loss": loss, "hint": match}


g = np.random.default_rng(77)
X = g.normal(size=(100, 20)).astype("float32")
Y = (X[:, :5]).argmax(1)

xent = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
teacher = make_teacher()
teacher.compile("adam", xent)
teacher.fit(X, Y, epochs=1, verbose=0)

d = Distiller(make_student(), teacher)
d.compile(optimizer="adam", loss=xent)
d.fit(X, Y, batch_size=20, epochs=2, verbose=0)
print(np.mean(d.predict(X, verbose=0).argmax(1) == Y))
