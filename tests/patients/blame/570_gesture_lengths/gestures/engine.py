import keras
import numpy as np
import tensorflow as tf


class Engine:
    def __init__(self, net, lr):
        self.net = net
        self.opt = keras.optimizers.Adam(lr)
        self.xent = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def epoch(self, loader):
        losses = []
        for signal, length, label in loader:
            with tf.GradientTape() as tape:
                loss = self.xent(label, self.net(signal, length))
            v = self.net.trainable_variables
            self.opt.apply_gradients(zip(tape.gradient(loss, v), v))
            losses.append(float(loss))
        return float(np.mean(losses))

    def accuracy(self, loader):
        hits = []
        for signal, length, label in loader:
            hits.append(tf.argmax(self.net(signal, length), 1, tf.int32) == label)
        return float(tf.reduce_mean(tf.cast(tf.concat(hits, 0), tf.float32)))
