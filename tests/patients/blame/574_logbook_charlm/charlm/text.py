import random

SUBJECTS = "the pump|valve seven|the operator|a sensor|the backup line|unit two".split("|")
VERBS = "reported|closed|restarted|dropped|held|exceeded".split("|")
OBJECTS = "pressure|the limit|a fault code|flow|temperature|the set point".split("|")


def logbook(lines, seed):
    rng = random.Random(seed)
    out = []
    for _ in range(lines):
        h, m = rng.randrange(24), rng.randrange(60)
        out.append(f"{h:02d}:{m:02d} {rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)}.")
    return "\n".join(out) + "\n"


class Alphabet:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}

    def __len__(self):
        return len(self.chars)

    def encode(self, text):
        return [self.index[c] for c in text if c in self.index]

    def decode(self, ids):
        return "".join(self.chars[int(i)] for i in ids)
