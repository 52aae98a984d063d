import numpy as np
import tensorflow as tf

DAYS, SITES = 11, 5


def river_levels(seed=0):
    rng = np.random.default_rng(seed)
    x = 3 + 0.5 * rng.normal(size=(SITES, DAYS)) + np.arange(SITES)[:, None]
    gap = rng.random((SITES, DAYS)) < 0.3
    x[gap] = np.nan
    return x.astype("float32")


@tf.function(jit_compile=True)
def typical(x):
    n = tf.reduce_sum(tf.cast(~tf.math.is_nan(x), tf.int32), axis=1)
    ordered = tf.sort(x, axis=1)
    mid = tf.gather(ordered, tf.maximum(n - 1, 0) // 2, axis=1, batch_dims=1)
    return tf.where(tf.math.is_nan(mid), 0.0, mid)


def rank_sites(levels):
    return np.argsort(-levels).tolist()


levels = typical(tf.constant(river_levels())).numpy()
print("typical level per site:", levels.round(3).tolist())
print("sites from high to low:", rank_sites(levels))
year = [typical(tf.constant(river_levels(s))).numpy().mean() for s in range(6)]
print("mean typical level %.4f" % np.mean(year))
