"""Predicted failure probability of an average specimen against relative stress."""
import numpy as np
import pandas as pd

from .testbench import ALLOYS


def grid(df, alloy, levels):
    """Rows with the median surface and grain size of one alloy."""
    typical = df[df["alloy"] == alloy][["roughness_um", "temperature_C", "grain_um"]].median()
    out = pd.DataFrame([typical] * len(levels)).reset_index(drop=True)
    out["alloy"] = alloy
    out["rel_stress"] = levels
    out["stress_MPa"] = levels * ALLOYS[alloy]
    return out


def half_probability(model, design, df, alloy):
    """Relative stress at which the curve crosses one half, NaN if it does not."""
    levels = np.linspace(0.5, 1.4, 46)
    p = model.probability(design.matrix(grid(df, alloy, levels)))
    above = np.flatnonzero(p >= 0.5)
    return float(levels[above[0]]) if len(above) else float("nan")
