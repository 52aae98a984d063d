import numpy as np


def table(y, p, bins=4):
    edges = np.quantile(p, np.linspace(0, 1, bins + 1))
    which = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, bins - 1)
    rows = []
    for b in range(bins):
        sel = which == b
        if sel.any():
            rows.append((int(sel.sum()), float(p[sel].mean()), float(y[sel].mean())))
    return rows


def expected_error(rows):
    n = sum(r[0] for r in rows)
    return sum(r[0] * abs(r[1] - r[2]) for r in rows) / n
