"""Point score in the manner of bedside early warning systems, as reference."""
import numpy as np

from .cohort import VITALS

# vital, direction in which it is bad, weight
RULES = (("hr", 1, 1.0), ("map", -1, 1.0), ("lactate", 1, 1.5))


def points(vitals, last=3):
    """Sum of graded deviations over the last hours."""
    recent = vitals[:, -last:].mean(axis=1)
    total = np.zeros(len(vitals))
    for name, sign, weight in RULES:
        z = sign * recent[:, VITALS.index(name)]
        total += weight * np.digitize(z, [0.5, 1.0, 1.5])
    return total
