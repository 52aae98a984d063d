import numpy as np

BASES = "ACGTN"
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def reverse_complement(seq):
    return seq.translate(COMPLEMENT)[::-1]


def one_hot(seq, length):
    """(length, bases); positions outside the alphabet stay zero."""
    out = np.zeros((length, len(BASES)), "float32")
    for i, base in enumerate(seq[:length]):
        k = BASES.find(base)
        if k >= 0:
            out[i, k] = 1.0
    return out


def encode_records(records, length, both_strands=False):
    x, y = [], []
    for name, seq in records:
        label = int(name.split("label=")[1])
        x.append(one_hot(seq, length))
        y.append(label)
        if both_strands:
            x.append(one_hot(reverse_complement(seq), length))
            y.append(label)
    return np.stack(x), np.array(y, "float32")[:, None]
