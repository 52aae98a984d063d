import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import sys

import keras

from losses import dice, dice_bce
from options import read_options
from phantoms import study
from preprocess import prepare, to_dataset
from unet import build_unet


def main(path="config.ini"):
    opt = read_options(path)
    keras.utils.set_random_seed(opt.train.seed)
    x, y = prepare(*study(opt.data, 0), opt.data.crop)
    n_val = opt.data.slices
    train = to_dataset(x[n_val:], y[n_val:], opt.train.batch, True, opt.train.seed)
    val = to_dataset(x[:n_val], y[:n_val], opt.train.batch, False)
    net = build_unet(opt.data.crop, opt.model.base, opt.model.levels, opt.model.dropout)
    net.compile(keras.optimizers.Adam(opt.train.lr), dice_bce, metrics=[dice])
    net.fit(train, validation_data=val, epochs=opt.train.epochs, verbose=2)
    print("voxels per slice", x.shape[1] * x.shape[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
