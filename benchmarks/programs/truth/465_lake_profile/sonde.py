"""Reads a CTD sonde export (depth, temperature, oxygen)."""
import io

import numpy as np

HEADER = "depth_m;temp_c;oxy_mgl"


def export(levels=24):
    z = np.linspace(0.5, 35.0, levels)
    temp = 5.0 + 15.0 / (1 + np.exp((z - 9.0) / 1.8))
    oxy = 9.5 - 0.12 * z + 0.8 * np.exp(-((z - 8.0) / 2.0) ** 2)
    lines = [HEADER] + [f"{a:.2f};{b:.3f};{c:.3f}" for a, b, c in zip(z, temp, oxy)]
    return "\n".join(lines)


def load(text):
    table = np.loadtxt(io.StringIO(text), delimiter=";", skiprows=1)
    return {"depth": table[:, 0], "temp": table[:, 1], "oxy": table[:, 2]}
