"""Residuals of asteroid astrometry after a rotation to the ecliptic, with a learned
correction of the frame bias."""
import numpy as np
import tensorflow as tf

OBLIQUITY = np.deg2rad(23.4392911)
N_OBS = 113
BATCH = 16


def observations(seed=99):
    rng = np.random.default_rng(seed)
    ra = rng.uniform(0, 2 * np.pi, N_OBS)
    dec = rng.uniform(-0.4, 0.4, N_OBS)
    u = np.stack([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], axis=-1)
    noise = 1e-3 * rng.standard_normal(u.shape)
    # exposures come as (observation, exposure, axis); this campaign has one exposure each
    return u[:, None, :].astype("float32"), (u + noise).astype("float32")


def ecliptic():
    c, s = np.cos(OBLIQUITY), np.sin(OBLIQUITY)
    return tf.constant([[1, 0, 0], [0, c, s], [0, -s, c]], tf.float32)


class FrameBias(tf.Module):
    def __init__(self):
        super().__init__()
        self.twist = tf.Variable(tf.zeros([3]))

    def matrix(self):
        x, y, z = tf.unstack(self.twist)
        o = tf.zeros([])
        return tf.eye(3) + tf.stack([tf.stack([o, -z, y]), tf.stack([z, o, -x]), tf.stack([-y, x, o])])

    def __call__(self, u):
        return tf.matmul(u, self.matrix())


def single_exposure(u, ref):
    return tf.squeeze(u), ref


def epoch(ds, bias, rot, rate):
    total, n = 0.0, 0
    for u, ref in ds:
        with tf.GradientTape() as tape:
            d = tf.matmul(bias(u), rot) - tf.matmul(ref, rot)
            loss = tf.reduce_mean(tf.reduce_sum(d * d, -1))
        bias.twist.assign_sub(rate * tape.gradient(loss, bias.twist))
        total += float(loss)
        n += 1
    return total / n


if __name__ == "__main__":
    obs, ref = observations()
    ds = tf.data.Dataset.from_tensor_slices((obs, ref)).batch(BATCH).map(single_exposure)
    bias, rot = FrameBias(), ecliptic()
    for e in range(4):
        print("epoch", e, "mean square residual %.3e" % epoch(ds, bias, rot, 0.1))
    print("twist", bias.twist.numpy())
