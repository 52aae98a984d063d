"""Report 003: float32 sigmas that are cast later, session options, the environment set below the import."""

import os
from functools import partial

import tensorflow as tf

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=0"


class Const:
    FLOAT = tf.float64


def gaussian_kernel_matrix(x, y, sigmas):
    beta = 1.0 / (2.0 * tf.expand_dims(tf.cast(sigmas, Const.FLOAT), 1))
    distances = tf.reduce_sum(tf.square(tf.expand_dims(x, 2) - tf.transpose(y)), 1)
    return tf.reduce_sum(tf.exp(-tf.matmul(beta, tf.reshape(distances, (1, -1)))), 0)


def mmd_loss(x, y, kernel=gaussian_kernel_matrix):
    return tf.reduce_mean(kernel(x, x)) + tf.reduce_mean(kernel(y, y)) - 2.0 * tf.reduce_mean(kernel(x, y))


def loss(x, y):
    sigmas = [1e-6, 1e-3, 1e-1, 1, 5, 10]
    gaussian_kernel = partial(gaussian_kernel_matrix, sigmas=tf.constant(sigmas))
    return mmd_loss(x, y, gaussian_kernel)


def session():
    config = tf.compat.v1.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.OFF
    rewriter = config.graph_options.rewrite_options
    rewriter.disable_meta_optimizer = True
    return tf.compat.v1.Session(config=config)
