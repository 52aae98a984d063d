import numpy as np
import pandas as pd

NUMERIC = ["age", "stay", "previous"]
CATEGORICAL = ["ward", "payer"]


class Preprocessor:
    """Standardise numeric columns, expand categorical ones."""

    def fit(self, df):
        self.mean = df[NUMERIC].mean()
        self.std = df[NUMERIC].std().replace(0, 1.0)
        self.levels = {c: sorted(df[c].unique()) for c in CATEGORICAL}
        return self

    def transform(self, df):
        num = (df[NUMERIC] - self.mean) / self.std
        cat = pd.get_dummies(df[CATEGORICAL])
        season = 2 * np.pi * df["admitted"].dt.dayofyear / 365.25
        cyc = pd.DataFrame({"sin": np.sin(season), "cos": np.cos(season)}, index=df.index)
        return pd.concat([num, cyc, cat], axis=1).to_numpy("float32")


def temporal_split(df, date):
    return df[df["admitted"] < date], df[df["admitted"] >= date]


def target(df):
    return df["readmitted"].to_numpy("float32")
