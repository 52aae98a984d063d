"""Variational autoencoder of galaxy spectra. Usage: main.py [latent]"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

import settings
from networks import Decoder, Encoder

settings.current["latent"] = int(sys.argv[1]) if len(sys.argv) > 1 else 6
settings.current["bins"] = 48


def spectra(n, bins):
    g = np.random.default_rng(0)
    lam = np.linspace(0, 1, bins)
    z = g.uniform(0.2, 0.8, (n, 1))
    return (np.exp(-((lam - z) / 0.05) ** 2) + 0.5 * lam).astype("float32")


@tf.function(jit_compile=True)
def step(batch, lr):
    with tf.GradientTape() as tape:
        mean, logvar = encoder(batch)
        code = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        rec = decoder(code)
        kl = -0.5 * tf.reduce_mean(1 + logvar - mean ** 2 - tf.exp(logvar))
        loss = tf.reduce_mean((rec - batch) ** 2) + 0.01 * kl
    variables = encoder.trainable_variables + decoder.trainable_variables
    for v, g in zip(variables, tape.gradient(loss, variables)):
        v.assign_sub(lr * g)
    return loss


encoder = Encoder(bins=settings.current["bins"])
decoder = Decoder(bins=settings.current["bins"])
data = spectra(64, settings.current["bins"])
for epoch in range(3):
    print(epoch, float(step(tf.constant(data), tf.constant(0.05))))
