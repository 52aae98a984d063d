"""Fit a neural correction to Kepler orbits, with a training loop by hand."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(5)
rng = np.random.default_rng(5)

ecc = rng.uniform(0, 0.6, size=512)
mean_anomaly = rng.uniform(-np.pi, np.pi, size=512)
ecc_anomaly = mean_anomaly.copy()
for _ in range(30):  # Newton
    ecc_anomaly -= (ecc_anomaly - ecc * np.sin(ecc_anomaly) - mean_anomaly) / (1 - ecc * np.cos(ecc_anomaly))

x = tf.constant(np.stack([ecc, mean_anomaly], 1))
y = tf.constant((ecc_anomaly - mean_anomaly)[:, None])

w1 = tf.Variable(tf.random.normal((2, 32)) * 0.5)
b1 = tf.Variable(tf.zeros((32,)))
w2 = tf.Variable(tf.random.normal((32, 1)) * 0.1)
variables = [w1, b1, w2]


def predict(inputs):
    h = tf.nn.tanh(tf.matmul(inputs, w1) + b1)
    return tf.matmul(h, w2)


optimizer = tf.keras.optimizers.Adam(3e-3)
for epoch in range(20):
    for start in range(0, 512, 64):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(predict(x[start : start + 64]) - y[start : start + 64]))
        grads = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(grads, variables))
    if epoch % 5 == 0:
        print(epoch, float(loss))
