from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass
class KG:
    persons: int = 40
    places: int = 15
    relations: int = 6
    person_dim: int = 10
    place_dim: int = 14


class Scorer(tf.Module):
    def __init__(self, kg):
        super().__init__()
        g = tf.random.Generator.from_seed(4)
        self.person = tf.Variable(g.normal([kg.persons, kg.person_dim]) * 0.1)
        self.place = tf.Variable(g.normal([kg.places, kg.place_dim]) * 0.1)
        self.rel = tf.Variable(g.normal([kg.relations, kg.person_dim, kg.place_dim]) * 0.1)

    def __call__(self, h, r, t):
        hv = tf.gather(self.person, h)
        rv = tf.gather(self.rel, r)
        tv = tf.gather(self.place, t)
        return tf.einsum("bi,bji,bj->b", hv, rv, tv)


def facts(kg, n, rng):
    return (rng.integers(0, kg.persons, n), rng.integers(0, kg.relations, n),
            rng.integers(0, kg.places, n))


def main():
    kg = KG()
    rng = np.random.default_rng(10)
    model = Scorer(kg)
    opt = tf.keras.optimizers.Adagrad(0.1)
    for step in range(3):
        h, r, t = facts(kg, 32, rng)
        corrupt = rng.integers(0, kg.places, 32)
        with tf.GradientTape() as tape:
            pos, neg = model(h, r, t), model(h, r, corrupt)
            loss = tf.reduce_mean(tf.nn.softplus(neg - pos))
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        print(step, float(loss))


main()
