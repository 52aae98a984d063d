import numpy as np
import pandas as pd
import tensorflow as tf

GROUPS = ["0-19", "20-39", "40-59", "60-79", "80+"]


def admissions(n=400, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.normal(52, 14, n).clip(1, 99)
    stay = 2.0 + 0.08 * age + rng.exponential(1.0, n)
    df = pd.DataFrame({"age": age, "stay": stay})
    df.loc[rng.random(n) < 0.12, "age"] = np.nan
    return df.astype("float32")


@tf.function(jit_compile=True)
def group_means(age, stay):
    band = tf.minimum(tf.floor(age / 20.0), len(GROUPS) - 1.0)
    group = tf.cast(band, tf.int32)
    member = tf.one_hot(group, len(GROUPS))
    count = tf.reduce_sum(member, axis=0)
    total = tf.linalg.matvec(member, stay, transpose_a=True)
    return tf.math.divide_no_nan(total, count), count


def table(df):
    mean, count = group_means(tf.constant(df.age.to_numpy()), tf.constant(df.stay.to_numpy()))
    return pd.DataFrame({"patients": count.numpy().astype(int), "mean_stay": mean.numpy().round(2)}, index=GROUPS)


frame = admissions()
result = table(frame)
print(result.to_string())
share = result.patients / result.patients.sum()
print("share of the youngest group: %.3f" % share.iloc[0])
