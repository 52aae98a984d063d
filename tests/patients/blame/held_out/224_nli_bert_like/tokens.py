import numpy as np
from settings import MAX_LEN

PAD, CLS, UNK = 0, 1, 2


class Tokenizer:
    def __init__(self, corpus):
        words = sorted({w for line in corpus for w in line.split()})
        self.index = {w: i for i, w in enumerate(words, start=3)}

    @property
    def size(self):
        return len(self.index) + 3

    def encode(self, line):
        ids = [self.index.get(w, UNK) for w in line.lower().split()]
        body = (ids + [PAD] * MAX_LEN)[:MAX_LEN]
        return [CLS] + body

    def batch(self, lines):
        return np.array([self.encode(s) for s in lines], dtype="int32")
