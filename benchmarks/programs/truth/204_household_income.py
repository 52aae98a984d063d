"""Weighted mean income per household from person records (survey, three waves)."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import pandas as pd
import tensorflow as tf

np.random.seed(20)


def wave(n_households):
    sizes = 1 + np.random.poisson(1.4, n_households)
    hh = np.repeat(np.arange(n_households), sizes)
    return pd.DataFrame({
        "hh": hh,
        "income": np.random.lognormal(7.5, 0.6, len(hh)).astype("float32"),
        "weight": np.random.uniform(0.5, 2.0, len(hh)).astype("float32"),
    }), sizes


class HouseholdMeans:
    def __init__(self, use_xla):
        self.means = tf.function(self._means, jit_compile=use_xla)

    @staticmethod
    def _means(income, weight, sizes):
        inc = tf.RaggedTensor.from_row_lengths(income * weight, sizes, validate=False)
        w = tf.RaggedTensor.from_row_lengths(weight, sizes, validate=False)
        equivalised = tf.reduce_mean(inc, axis=1) / tf.sqrt(tf.cast(sizes, tf.float32))
        return equivalised, tf.reduce_mean(w, axis=1)

    def table(self, df, sizes):
        inc, w = self.means(tf.constant(df.income), tf.constant(df.weight),
                            tf.constant(sizes, tf.int32))
        return pd.DataFrame({"equivalised": inc.numpy(), "w": w.numpy()})


estimator = HouseholdMeans(use_xla=True)
for number in (1, 2, 3):
    people, sizes = wave(60)
    result = estimator.table(people, sizes)
    print("wave", number, len(people), "persons", len(result), "households",
          "mean", round(float(np.average(result.equivalised, weights=result.w)), 1))
