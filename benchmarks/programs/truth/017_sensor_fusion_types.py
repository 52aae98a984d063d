"""Complementary filter for pitch angle."""
import numpy as np
import tensorflow as tf

ALPHA = 0.98


def simulate(n=100, dt=0.01):
    t = np.arange(n) * dt
    angle = 0.5 * np.sin(2 * np.pi * t)
    gyro = np.gradient(angle, dt) + 0.02
    accel = angle + 0.05 * np.random.default_rng(0).normal(size=n)
    return angle, gyro, accel, dt


class ComplementaryFilter:
    def __init__(self, alpha, dt):
        self.alpha = alpha
        self.dt = dt
        self.state = tf.zeros([])

    def step(self, gyro, accel):
        predicted = self.state + self.dt * gyro
        self.state = self.alpha * predicted + (1.0 - self.alpha) * accel
        return self.state


angle, gyro, accel, dt = simulate()
gyro_t = tf.convert_to_tensor(gyro)
accel_t = tf.convert_to_tensor(accel)
f = ComplementaryFilter(ALPHA, dt)
estimates = [f.step(gyro_t[i], accel_t[i]) for i in range(len(angle))]
error = np.abs(np.array([float(e) for e in estimates]) - angle).mean()
print(f"mean error {error:.4f} rad")
