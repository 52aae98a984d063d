"""Writes a lab style CSV: one row per specimen, comments, mixed capitalisation."""
import csv

import numpy as np

COLUMNS = ["specimen", "alloy", "stress_MPa", "roughness_um", "temperature_C", "grain_um", "outcome"]
ALLOYS = {"Ti64": 620, "AlSi10": 180, "IN718": 560}


def write(path, n, seed):
    rng = np.random.default_rng(seed)
    with open(path, "w", newline="") as f:
        f.write("# fatigue campaign, run-out at 1e7 cycles\n")
        w = csv.writer(f, delimiter=";")
        w.writerow(COLUMNS)
        for k in range(n):
            alloy = rng.choice(list(ALLOYS))
            limit = ALLOYS[alloy]
            stress = limit * rng.uniform(0.5, 1.3)
            rough, temp, grain = rng.gamma(2, 2), rng.uniform(20, 400), rng.lognormal(2.5, 0.4)
            margin = 1 - stress / limit - 0.02 * rough - 0.0004 * (temp - 20) - 0.004 * (grain - 12)
            fails = margin + 0.05 * rng.normal() < -0.1
            outcome = rng.choice(["failure", "Failure"]) if fails else "run-out"
            w.writerow([f"S{k:04d}", alloy, f"{stress:.1f}", f"{rough:.2f}", f"{temp:.0f}", f"{grain:.1f}", outcome])
