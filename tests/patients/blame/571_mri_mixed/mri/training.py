import keras
import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self, model, encoding, cfg):
        self.model, self.encoding, self.cfg = model, encoding, cfg
        self.opt = keras.optimizers.Adam(cfg["lr"])

    def loss(self, truth, kspace):
        image = self.model(self.encoding.adjoint(kspace), training=True)
        fidelity = self.encoding.residual(image, kspace)
        return tf.reduce_mean(tf.square(image - truth)) + 0.1 * tf.reduce_mean(tf.square(fidelity))

    def fit(self, truth):
        kspace = self.encoding.measure(truth)
        ds = tf.data.Dataset.from_tensor_slices((truth, kspace)).shuffle(len(truth), seed=0)
        for epoch in range(self.cfg["epochs"]):
            log = []
            for t, k in ds.batch(self.cfg["batch"]):
                with tf.GradientTape() as tape:
                    loss = self.loss(t, k)
                v = self.model.trainable_variables
                self.opt.apply_gradients(zip(tape.gradient(loss, v), v))
                log.append(float(loss))
            print(f"epoch {epoch + 1} loss {np.mean(log):.4f}")

    def psnr(self, truth):
        zf = self.encoding.adjoint(self.encoding.measure(truth))
        rec = tf.cast(self.model(zf), tf.float32)
        f = lambda a: float(-10 * np.log10(np.mean((a - truth) ** 2)))
        return f(zf.numpy()), f(rec.numpy())
