"""Gumbel-softmax selection whose temperature is lowered between phases."""
import numpy as np
import tensorflow as tf

SETTINGS = {"temperature": 5.0, "hard": False}


class Selector(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.logits = tf.Variable(np.linspace(0, 2, n), dtype=tf.float32)

    @tf.function(jit_compile=True)
    def select(self, noise):
        y = tf.nn.softmax((self.logits + noise) / SETTINGS["temperature"])
        if SETTINGS["hard"]:
            y = tf.one_hot(tf.argmax(y, axis=-1), y.shape[-1])
        return y


def gumbel(shape, seed):
    u = np.random.default_rng(seed).uniform(1e-6, 1 - 1e-6, shape)
    return tf.constant(-np.log(-np.log(u)), tf.float32)


def sharpness(selector, noise):
    return float(tf.reduce_mean(tf.reduce_max(selector.select(noise), axis=-1)))


selector = Selector(6)
noise = gumbel((200, 6), seed=0)
phases = [("explore", 5.0, False), ("focus", 0.5, False), ("decide", 0.1, True)]
levels = []
for name, temperature, hard in phases:
    SETTINGS.update(temperature=temperature, hard=hard)
    levels.append(sharpness(selector, noise))
    print(f"{name:8s} T={temperature} sharpness {levels[-1]:.3f}")
if not levels[0] < levels[1] < levels[2]:
    raise ValueError(f"selection does not sharpen: {levels}")
