"""Ingredient vocabulary: id 0 is padding, 1 is unknown."""
import collections

PAD, UNK = 0, 1
RESERVED = 2


class Vocabulary:
    def __init__(self, words):
        self.index = {w: i + RESERVED for i, w in enumerate(words)}
        self.words = list(words)

    @classmethod
    def from_recipes(cls, recipes, min_count=2):
        counts = collections.Counter(w for r in recipes for w in r)
        return cls(sorted(w for w, c in counts.items() if c >= min_count))

    def __len__(self):
        return len(self.words)

    def encode(self, recipe, width):
        ids = [self.index.get(w, UNK) for w in recipe][:width]
        return ids + [PAD] * (width - len(ids))
