"""Write a small simulated scan as an `.npz` file in the field's layout (see `ptycho.data_file`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np


def main(argv: list[str] | None = None) -> int:
    """Simulate a lines object under the default probe and write the file."""
    parser = argparse.ArgumentParser(prog="python -m ptycho.workflows.make_example", description=__doc__)
    parser.add_argument("file", type=Path, help="such as scan.npz")
    parser.add_argument("--N", type=int, default=64, help="side of the patterns (default 64)")
    parser.add_argument("--object-size", type=int, help="side of the object in pixels (default N + 48)")
    parser.add_argument("--photons", type=float, default=1e7, help="in the empty beam (default 1e7)")
    parser.add_argument("--seed", type=int, default=0, help="of object, scan and noise (default 0)")
    args = parser.parse_args(argv)
    if args.file.exists():
        parser.error(f"{args.file} exists")

    from ptycho import data_file, diffsim, probe
    from ptycho.raw_data import RawData

    rng = np.random.default_rng(args.seed)
    size = args.object_size or args.N + 48
    truth = diffsim.lines_object(size, rng)
    x, y = diffsim.raster_positions(size, args.N, step=4, jitter=1, rng=rng)
    light = probe.get_default_probe(args.N)
    raw = RawData.from_simulation(x, y, light, truth, None, rng, beam_photons=args.photons)
    data_file.save(args.file, raw)
    print(f"wrote {args.file}: {len(x)} patterns of {args.N} x {args.N}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
