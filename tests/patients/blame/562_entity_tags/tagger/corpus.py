"""Template generated sentences with BIO tags for people, places and drugs."""
import random

FIRST = "anna bob carla dmitri elena farid".split()
LAST = "meyer rossi novak okafor tanaka".split()
CITY = "berlin lagos osaka quito turin".split()
DRUG = "aspirin ibuprofen metformin warfarin".split()

TEMPLATES = [
    "{P} from {L} was given {D} yesterday",
    "the clinic in {L} ordered more {D}",
    "{P} refused {D} and left for {L}",
    "no reaction to {D} was seen",
    "please call {P} in {L}",
]


def _slot(kind, rng):
    if kind == "{P}":
        return [(rng.choice(FIRST), "B-PER"), (rng.choice(LAST), "I-PER")]
    if kind == "{L}":
        return [(rng.choice(CITY), "B-LOC")]
    return [(rng.choice(DRUG), "B-DRUG")]


def sentences(n, seed):
    rng = random.Random(seed)
    out = []
    for _ in range(n):
        words = []
        for tok in rng.choice(TEMPLATES).split():
            words += _slot(tok, rng) if tok.startswith("{") else [(tok, "O")]
        out.append(words)
    return out
