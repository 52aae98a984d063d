import argparse


def get_flags(argv=None):
    p = argparse.ArgumentParser("galaxy GAN")
    p.add_argument("--size", type=int, default=32, choices=(16, 32, 64))
    p.add_argument("--latent", type=int, default=24)
    p.add_argument("--base", type=int, default=8, help="filters of the widest resolution")
    p.add_argument("--images", type=int, default=96)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--lr-g", type=float, default=1e-3)
    p.add_argument("--lr-d", type=float, default=5e-4)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args(argv)
