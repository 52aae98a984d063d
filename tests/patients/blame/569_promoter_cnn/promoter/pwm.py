"""Position weight matrix baseline."""
import numpy as np

ORDER = "ACGT"


def matrix(records, pseudo=1.0):
    """Log odds per position, estimated from aligned positive sequences."""
    length = len(records[0][1])
    counts = np.full((length, len(ORDER)), pseudo)
    for name, seq in records:
        if not name.endswith("label=1"):
            continue
        for i, base in enumerate(seq):
            if base in ORDER:
                counts[i, ORDER.index(base)] += 1
    p = counts / counts.sum(axis=1, keepdims=True)
    return np.log(p / 0.25)


def score(pwm, seq):
    return sum(pwm[i, ORDER.index(b)] for i, b in enumerate(seq) if b in ORDER)


def accuracy(train, test):
    pwm = matrix(train)
    s = np.array([score(pwm, seq) for _, seq in test])
    y = np.array([name.endswith("label=1") for name, _ in test])
    return float(np.mean((s > np.median(s)) == y))
