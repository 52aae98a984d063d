import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import sys
import tomllib

import keras

from analysis import active_units, blank_baseline, psnr
from beads import movie
from geometry import receptive_field
from vae import VAE


def main(path="vae.toml"):
    with open(path, "rb") as f:
        cfg = tomllib.load(f)
    data, net, fit = cfg["data"], cfg["net"], cfg["fit"]
    keras.utils.set_random_seed(data["seed"])
    x = movie(**data)
    print(f"{len(x)} frames, receptive field {receptive_field(net['filters'])} px")
    model = VAE(data["size"], **net)
    model.compile(optimizer=keras.optimizers.Adam(fit["lr"]))
    model.fit(x, batch_size=fit["batch"], epochs=fit["epochs"], verbose=2)
    test = movie(60, data["size"], data["seed"] + 1)
    rec = model.predict(test, verbose=0)
    mean, _ = model.encoder.predict(test, verbose=0)
    print(f"PSNR {psnr(test, rec):.2f} dB (mean image {blank_baseline(test):.2f} dB), "
          f"{active_units(mean)} active units")


if __name__ == "__main__":
    main(*sys.argv[1:])
