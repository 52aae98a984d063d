import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import itertools

import keras
import numpy as np

from discriminator import build_discriminator
from flags import get_flags
from galaxies import dataset
from gan import GAN
from generator import build_generator
from stats import radial_profile


def main():
    f = get_flags()
    keras.utils.set_random_seed(f.seed)
    data = dataset(f.images, f.size, f.batch, f.seed)
    gan = GAN(build_generator(f.size, f.latent, f.base), build_discriminator(f.base), f.latent, f.lr_g, f.lr_d)
    print(f"generator {gan.g.count_params()} / discriminator {gan.d.count_params()} parameters")
    for step, real in enumerate(itertools.islice(data, f.steps)):
        loss_d, loss_g = gan.update_d(real), gan.update_g(f.batch)
        print(f"step {step}: d {float(loss_d):.3f} g {float(loss_g):.3f}")
    real = next(iter(data)).numpy()
    fake = gan.g(gan.noise(f.batch)).numpy()
    gap = np.abs(radial_profile(real) - radial_profile(fake)).mean()
    print(f"mean difference of radial profiles {gap:.3f}")


if __name__ == "__main__":
    main()
