import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras

from tagger.batches import make_dataset
from tagger.corpus import sentences
from tagger.evaluate import score
from tagger.model import build
from tagger.vocab import build_vocabs


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--train", type=int, default=160)
    p.add_argument("--test", type=int, default=40)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-2)
    return p.parse_args()


def main(args):
    keras.utils.set_random_seed(1)
    train, test = sentences(args.train, 0), sentences(args.test, 1)
    words, tags = build_vocabs(train)
    print(f"{len(words)} word types, {len(tags)} tags")
    tr = make_dataset(train, words, tags, args.batch, training=True)
    te = make_dataset(test, words, tags, args.batch, training=False)
    model = build(len(words), len(tags))
    model.compile(keras.optimizers.Adam(args.lr), "categorical_crossentropy", weighted_metrics=["accuracy"])
    model.fit(tr, epochs=args.epochs, verbose=2)
    p, r = score(model, te, tags)
    print(f"entities: precision {p:.3f} recall {r:.3f}")


if __name__ == "__main__":
    main(parse())
