import numpy as np
import pandas as pd

WARDS = ["cardiology", "surgery", "oncology", "neurology", "geriatrics", "burns"]
PAYERS = ["public", "private", "self"]
RATES = {"cardiology": 0.3, "surgery": 0.2, "oncology": 0.1, "neurology": 0.2, "geriatrics": 0.195, "burns": 0.005}


def admissions(n=500, seed=8):
    rng = np.random.default_rng(seed)
    date = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 730, n)), unit="D")
    df = pd.DataFrame({
        "admitted": date,
        "age": rng.normal(62, 15, n).clip(18, 99).round(),
        "stay": rng.gamma(2, 3, n).round(1),
        "previous": rng.poisson(0.8, n),
        "ward": rng.choice(WARDS, n, p=[RATES[w] for w in WARDS]),
        "payer": rng.choice(PAYERS, n, p=[0.6, 0.3, 0.1]),
    })
    df.loc[[3, 40], "ward"] = "burns"
    late = df["admitted"] >= "2021-06-01"            # the burns unit moved to another hospital
    df.loc[late & (df["ward"] == "burns"), "ward"] = "surgery"
    risk = -3 + 0.02 * df["age"] + 0.5 * df["previous"] + 0.4 * (df["ward"] == "cardiology")
    df["readmitted"] = (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(int)
    return df
