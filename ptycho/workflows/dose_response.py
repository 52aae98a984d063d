"""Dose response: how well is an object recovered, at two doses and with two losses?

One synthetic object is scanned twice, with few and with many photons. From each scan two networks are
trained, one with the Poisson likelihood and one with the mean absolute error of amplitudes; each then
reconstructs groups of the scan that it has not seen. Writes `metrics.json` and `figure.png` into the output
folder.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Arm:
    """One training of the study."""

    name: str
    nphotons: float
    loss: str


ARMS = (
    Arm("high-poisson", 1e7, "poisson"),
    Arm("low-poisson", 1e4, "poisson"),
    Arm("high-mae", 1e7, "mae"),
    Arm("low-mae", 1e4, "mae"),
)


def choose_arms(text: str) -> tuple[Arm, ...]:
    """The arms meant by a number (that many from the start) or by names with commas between them."""
    if text.isdecimal() and 1 <= int(text) <= len(ARMS):
        return ARMS[: int(text)]
    known = {arm.name: arm for arm in ARMS}
    chosen = text.split(",")
    if not set(chosen) <= known.keys():
        raise argparse.ArgumentTypeError(f"expected 1 to {len(ARMS)}, or names out of {', '.join(known)}")
    return tuple(known[name] for name in chosen)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive whole number, not {text!r}")
    return int(text)


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.workflows.dose_response",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A quick run: --arms 1 --nepochs 1 --ngroups 130 --filters-scale 0.125\n"
        "Keras traces with an unknown batch if --ngroups is no multiple of --batch-size, else with a fixed one.",
    )
    add = parser.add_argument
    add(
        "--N",
        type=positive,
        default=64,
        help="side of the diffraction patterns, a multiple of 8 (default 64)",
    )
    add("--gridsize", type=positive, default=2, help="patches of a group along each axis (default 2)")
    add("--batch-size", type=positive, default=32, help="groups in a training batch (default 32)")
    add("--nepochs", type=positive, default=50, help="epochs of each arm (default 50)")
    add("--ngroups", type=positive, default=500, help="groups to train on (default 500)")
    add("--ntest", type=positive, default=64, help="groups to reconstruct (default 64)")
    add("--object-size", type=positive, help="side of the object in pixels (default N + 96)")
    add("--arms", type=choose_arms, default=ARMS, help="how many arms, or names with commas (default: all 4)")
    add("--filters-scale", type=float, default=1.0, help="multiplies the filters of the network (default 1)")
    add("--learning-rate", type=float, default=1e-3, help="of Adam (default 0.001)")
    add(
        "--jit-compile",
        choices=("auto", "on", "off"),
        help="XLA for the whole train and predict steps (Keras)",
    )
    add("--positions-layout", choices=("channel", "flat"), default="channel", help="feed (B 1 2 C), or (B 2)")
    add("--seed", type=int, default=0, help="of object, scan, noise and training (default 0)")
    add(
        "--output-dir",
        type=Path,
        default=Path("dose_response_results"),
        help="(default dose_response_results)",
    )
    add("--overwrite", action="store_true", help="use the output folder even if it is not empty")
    add("--fault", metavar="NAME", help="put a historic failure in; python -m ptycho.faults lists them")
    add("--fault-option", metavar="KEY=VALUE", action="append", default=[], help="such as threshold=16")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the study. Errors of TensorFlow are not caught."""
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.output_dir.is_file():
        parser.error(f"{args.output_dir} is a file")
    if args.output_dir.is_dir() and any(args.output_dir.iterdir()) and not args.overwrite:
        parser.error(f"{args.output_dir} is not empty; use another --output-dir, or --overwrite")

    from ptycho import faults
    from ptycho.config.config import ModelConfig, TrainingConfig

    name, texts = args.fault, args.fault_option
    if name is None and faults.from_environment():
        name, given = faults.from_environment()
        texts = given + texts
    try:
        if texts and name is None:
            raise ValueError("--fault-option needs --fault")
        options = faults.parse_options(faults.get(name), texts) if name else {}
        jit = {"auto": "auto", "on": True, "off": False}
        config = TrainingConfig(
            model=ModelConfig(N=args.N, gridsize=args.gridsize, filters_scale=args.filters_scale),
            batch_size=args.batch_size,
            nepochs=args.nepochs,
            learning_rate=args.learning_rate,
            **({"use_xla_compile": jit[args.jit_compile]} if args.jit_compile else {}),
        )
    except ValueError as error:
        parser.error(str(error))

    from ptycho import params
    from ptycho.config.config import update_legacy_dict

    update_legacy_dict(params.cfg, config)

    from ptycho.workflows.dose_response_arms import run_study

    with faults.applied(name, **options):
        if name:
            print(f"fault put in: {name} {options or ''}".rstrip(), flush=True)
        run_study(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
