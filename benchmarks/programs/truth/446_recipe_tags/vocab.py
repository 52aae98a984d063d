import re
from collections import Counter

RECIPES = [
    ("boil the rice with salt and drain", "side"),
    ("whip cream with sugar and fold in berries", "dessert"),
    ("fry onion and garlic, add lentils and stock", "main"),
    ("roast the chicken with lemon and thyme", "main"),
    ("melt chocolate with butter, add eggs and flour", "dessert"),
    ("toss leaves with oil, vinegar and salt", "side"),
    ("simmer beans with tomato and cumin", "main"),
    ("bake apples with cinnamon and sugar", "dessert"),
    ("mash potatoes with butter and milk", "side"),
    ("grill fish with fennel and lemon", "main"),
    ("freeze yoghurt with honey and mint", "dessert"),
    ("steam greens with sesame oil and garlic", "side"),
]
TAGS = ["side", "main", "dessert"]
PAD = "<pad>"
OOV = "<unk>"


def words(text):
    return re.findall(r"[a-z]+", text)


class Vocabulary:
    def __init__(self, texts, min_count=1):
        counts = Counter(w for t in texts for w in words(t))
        kept = sorted(w for w, c in counts.items() if c >= min_count)
        self.index = {w: i for i, w in enumerate([PAD, OOV] + kept)}

    def __len__(self):
        return len(self.index)

    def encode(self, text, length=10):
        ids = [self.index.get(w, 1) for w in words(text)][:length]
        return ids + [0] * (length - len(ids))
