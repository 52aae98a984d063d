"""Tiny FASTA writer / reader and a generator of labelled promoter sequences."""
import random
from pathlib import Path

MOTIFS = ("TATAAT", "TTGACA")


def random_sequence(n, rng):
    return [rng.choice("ACGT") for _ in range(n)]


def simulate(path, n=160, length=60, seed=0):
    rng = random.Random(seed)
    lines = []
    for k in range(n):
        seq = random_sequence(length, rng)
        label = k % 2
        if label:
            for motif, at in zip(MOTIFS, (38, 14)):
                start = at + rng.randint(-3, 3)
                seq[start:start + len(motif)] = list(motif)
        for i in range(length):
            if rng.random() < 0.02:
                seq[i] = "N"
        lines += [f">seq{k} label={label}", "".join(seq)]
    Path(path).write_text("\n".join(lines) + "\n")


def read(path):
    records, name, chunks = [], None, []
    for line in Path(path).read_text().splitlines() + [">"]:
        if line.startswith(">"):
            if name is not None:
                records.append((name, "".join(chunks).upper()))
            name, chunks = line[1:], []
        else:
            chunks.append(line.strip())
    return records
