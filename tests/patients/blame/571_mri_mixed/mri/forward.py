"""Undersampled Fourier encoding as a real matrix (real and imaginary rows)."""
import numpy as np
import tensorflow as tf


class Encoding:
    def __init__(self, mask):
        n = len(mask)
        f = np.fft.fft(np.eye(n), norm="ortho") * mask[:, None]
        self.matrix = tf.constant(np.concatenate([f.real, f.imag]), tf.float32)

    def measure(self, image):
        return tf.matmul(image, self.matrix, transpose_b=True)

    def adjoint(self, kspace):
        return tf.matmul(kspace, self.matrix)

    def residual(self, image, kspace):
        return self.measure(image) - kspace
