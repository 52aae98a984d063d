from collections import Counter

PAD = "<pad>"
UNK = "<unk>"


class Vocab:
    """Maps strings to ids; id 0 is padding."""

    def __init__(self, items, unknown=True):
        self.specials = [PAD, UNK] if unknown else [PAD]
        self.items = [w for w, _ in Counter(items).most_common()]
        self.index = {w: i for i, w in enumerate(self.specials + self.items)}

    def __len__(self):
        return len(self.items)

    def __getitem__(self, word):
        return self.index.get(word, self.index.get(UNK, 0))

    def encode(self, words):
        return [self[w] for w in words]

    def decode(self, ids):
        names = self.specials + self.items
        return [names[i] for i in ids]


def build_vocabs(sents):
    words = Vocab(w for s in sents for w, _ in s)
    tags = Vocab((t for s in sents for _, t in s), unknown=False)
    return words, tags
