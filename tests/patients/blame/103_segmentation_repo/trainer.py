import tensorflow as tf
import keras

from losses import focal


class Trainer:
    def __init__(self, net, lr=1e-3):
        self.net = net
        self.optimizer = keras.optimizers.Adam(lr)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = focal(y, self.net(x, training=True))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss
