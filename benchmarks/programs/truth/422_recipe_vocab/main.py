"""Nearest recipes by taste."""
import numpy as np
import tensorflow as tf

import taste
from vocab import Vocabulary

PANTRY = """anise basil butter cardamom chili cocoa cream dill egg fennel flour garlic ginger
honey leek lemon lime milk mint mustard nutmeg oil onion parsley pepper rice saffron sage
salt sugar thyme vanilla vinegar walnut yeast zucchini""".split()


def cookbook(n, seed=23):
    rng = np.random.default_rng(seed)
    taste_of = rng.dirichlet(np.ones(len(PANTRY)) * 0.6, size=5)
    for i in range(n):
        k = int(rng.integers(3, 9))
        yield f"dish-{i:03d}", list(rng.choice(PANTRY, k, replace=False, p=0.5 * taste_of[i % 5] + 0.5 / len(PANTRY)))


def main():
    names, recipes = zip(*cookbook(60))
    voc = Vocabulary.from_recipes(recipes)
    print("recipes", len(recipes), "ingredients", len(voc))
    width = max(map(len, recipes))
    coded = np.array([voc.encode(r, width) for r in recipes], "int32")
    space = taste.TasteSpace(len(voc))
    vecs = taste.embed_all(space, coded, names)
    unit = tf.math.l2_normalize(vecs, axis=1)
    near = tf.linalg.set_diag(unit @ tf.transpose(unit), tf.fill((len(names),), -1.0))
    best = tf.argmax(near, axis=1).numpy()
    for i in (0, 1, 2):
        print(names[i], "is close to", names[best[i]])


if __name__ == "__main__":
    main()
