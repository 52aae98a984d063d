"""Beehive scale: filter hourly weights, keep only accepted estimates, compiled."""
import numpy as np
import tensorflow as tf

CONFIG = {
    "hives": 4,
    "hours": 48,
    "gate": 2.5,
    "process_var": 0.02,
    "measure_var": 0.3,
}


def weights(cfg, seed):
    rng = np.random.default_rng(seed)
    walk = 30 + np.cumsum(rng.normal(scale=0.15, size=(cfg["hours"], cfg["hives"])), axis=0)
    seen = walk + rng.normal(scale=0.5, size=walk.shape)
    storms = rng.random(cfg["hours"]) < 0.1
    seen[storms] += rng.normal(scale=8.0, size=(storms.sum(), cfg["hives"]))
    return seen.astype("float32")


class HiveFilter(tf.Module):
    """Scalar Kalman filter per hive with a joint gate on the innovation."""

    def __init__(self, cfg):
        super().__init__()
        self.gate = cfg["gate"]
        self.q = tf.Variable(cfg["process_var"], trainable=False)
        self.r = tf.Variable(cfg["measure_var"], trainable=False)

    def update(self, mean, var, obs):
        var = var + self.q
        gain = var / (var + self.r)
        innov = obs - mean
        score = tf.reduce_max(tf.abs(innov) / tf.sqrt(var + self.r))
        accept = score < self.gate
        new_mean = tf.where(accept, mean + gain * innov, mean)
        new_var = tf.where(accept, (1 - gain) * var, var)
        return new_mean, new_var, accept

    @tf.function(jit_compile=True)
    def __call__(self, series):
        hours = tf.shape(series)[0]
        kept = tf.TensorArray(tf.float32, size=0, dynamic_size=True,
                              element_shape=[series.shape[1]])
        mean, var = series[0], tf.ones_like(series[0])
        for h in tf.range(1, hours):
            mean, var, accept = self.update(mean, var, series[h])
            if accept:
                kept = kept.write(kept.size(), mean)
        return kept.stack(), mean


def main():
    series = weights(CONFIG, seed=21)
    hive_filter = HiveFilter(CONFIG)
    print("series", series.shape)
    kept, last = hive_filter(tf.constant(series))
    print("accepted hours", kept.shape[0], "of", series.shape[0] - 1)
    for hive, kg in enumerate(last.numpy()):
        print(f"hive {hive}: {kg:.2f} kg")


if __name__ == "__main__":
    main()
