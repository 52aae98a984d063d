import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import sys

from mri import setup
from mri.forward import Encoding
from mri.profiles import objects, sampling_mask
from mri.recon import build
from mri.training import Trainer


def main(path=None):
    cfg = setup.load(path)
    setup.apply(cfg)
    train = objects(cfg["profiles"], cfg["points"], cfg["seed"])
    test = objects(40, cfg["points"], cfg["seed"] + 1)
    mask = sampling_mask(cfg["points"], cfg["acceleration"], cfg["center"], cfg["seed"])
    model = build(cfg["points"], cfg["filters"], cfg["unrolls"])
    trainer = Trainer(model, Encoding(mask), cfg)
    trainer.fit(train)
    print("PSNR zero filled {:.2f} dB, network {:.2f} dB".format(*trainer.psnr(test)))


if __name__ == "__main__":
    main(*sys.argv[1:])
