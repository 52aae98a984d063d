"""Start a compiled simulation with flags copied from a document."""
import launcher
import tensorflow as tf


@tf.function(jit_compile=True)
def heat_step(u, alpha):
    lap = tf.roll(u, 1, 0) + tf.roll(u, -1, 0) + tf.roll(u, 1, 1) + tf.roll(u, -1, 1) - 4.0 * u
    return u + alpha * lap


def main():
    u = tf.tensor_scatter_nd_update(tf.zeros([16, 16]), [[8, 8]], [100.0])
    for _ in range(10):
        u = heat_step(u, tf.constant(0.1))
    print("heat conserved:", round(float(tf.reduce_sum(u)), 2))


if __name__ == "__main__":
    print("profile", launcher.PROFILE)
    main()
