import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse
import tomllib

import keras

from twotower.features import batches, item_side
from twotower.log import last_out, simulate
from twotower.loop import hit_rate, train
from twotower.towers import Retrieval, Tower


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("config", nargs="?", default="experiment.toml")
    ap.add_argument("-k", type=int, default=10)
    args = ap.parse_args()
    with open(args.config, "rb") as f:
        cfg = tomllib.load(f)
    keras.utils.set_random_seed(cfg["seed"])

    log, meta = simulate(**cfg["data"], seed=cfg["seed"])
    past, held_out = last_out(log)
    side = item_side(meta)
    t = cfg["training"]
    model = Retrieval(
        Tower(cfg["data"]["users"], **cfg["user_tower"], name="users"),
        Tower(cfg["data"]["items"], **cfg["item_tower"], name="items"),
        t["temperature"],
    )
    train(model, batches(past, side, t["batch"], cfg["seed"]), t["epochs"], t["lr"])
    print(f"{cfg['title']}: hit rate @{args.k} = {hit_rate(model, held_out, side, args.k):.3f}")


if __name__ == "__main__":
    main()
