import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
from dataclasses import dataclass

import keras

from charlm.fit import run_epoch
from charlm.lm import CharLM
from charlm.stream import stream
from charlm.text import Alphabet, logbook


@dataclass
class Config:
    lines: int = 300
    length: int = 16
    batch: int = 32
    units: int = 48
    epochs: int = 1
    lr: float = 1e-2
    seed: int = 2


def main(cfg=Config()):
    keras.utils.set_random_seed(cfg.seed)
    text = logbook(cfg.lines, cfg.seed)
    alphabet = Alphabet(text)
    cut = int(0.9 * len(text))
    train = stream(alphabet.encode(text[:cut]), cfg.length, cfg.batch, shuffle=True, seed=cfg.seed)
    valid = stream(alphabet.encode(text[cut:]), cfg.length, cfg.batch)
    model = CharLM(len(alphabet), cfg.units, cfg.batch)
    opt = keras.optimizers.Adam(cfg.lr)
    for epoch in range(cfg.epochs):
        print(f"epoch {epoch + 1}: train {run_epoch(model, train, opt):.3f} bits/char, "
              f"valid {run_epoch(model, valid):.3f} bits/char")
    print(model.sample(alphabet, "12:", 30))


if __name__ == "__main__":
    main()
