import numpy as np
import pandas as pd

from .testbench import ALLOYS

NUMERIC = ["stress_MPa", "roughness_um", "temperature_C", "grain_um"]
CODES = {"run-out": 0.0, "failure": 1.0}


def read(path):
    df = pd.read_csv(path, sep=";", comment="#")
    df["outcome"] = df["outcome"].str.strip().str.lower()
    unknown = set(df["outcome"]) - set(CODES)
    if unknown:
        raise ValueError(f"unknown outcome {sorted(unknown)}")
    df["failed"] = df["outcome"].map(CODES).astype("float32")
    df["rel_stress"] = df["stress_MPa"] / df["alloy"].map(ALLOYS)
    return df


def split(df, fraction, seed):
    test = df.groupby("alloy").sample(frac=fraction, random_state=seed)
    return df.drop(test.index), test


class Design:
    """Numeric columns standardised, alloy as one-hot block."""

    def __init__(self, df, target="outcome"):
        self.cols = NUMERIC + ["rel_stress"]
        self.mean, self.std = df[self.cols].mean(), df[self.cols].std()
        self.alloys = sorted(df["alloy"].unique())
        self.target = target

    def matrix(self, df):
        z = ((df[self.cols] - self.mean) / self.std).to_numpy()
        a = (df["alloy"].to_numpy()[:, None] == np.array(self.alloys)[None, :]).astype(float)
        return np.concatenate([z, a], axis=1).astype("float32")

    def __call__(self, df):
        return self.matrix(df), df[self.target].to_numpy()
