"""Learning: what does training add to the first estimate, on objects that the network has never seen?

One network is trained on simulated scans of random lines, each arm in its own way, and then reconstructs new objects
from few groups. The first estimate alone is a row, with more updates too: as many as the time of a training buys.
Gains are differences on the same object. Writes metrics.json into the output folder.
"""

from __future__ import annotations

import argparse
import sys

from ptycho.workflows import options, output
from ptycho.workflows.options import positive

ARMS = ("supervised", "poisson", "mae")


def choose_arms(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    chosen = tuple(dict.fromkeys(text.split(",")))
    if not set(chosen) <= set(ARMS):
        raise argparse.ArgumentTypeError(f"expected names out of {', '.join(ARMS)}")
    return chosen


def updates(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, in order."""
    return tuple(sorted({positive(part) for part in text.split(",")}))


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.workflows.learning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A quick run: --nobjects 1 --ntest-objects 2 --ngroups 8 --ntest 8 --nepochs 1 --arms supervised "
        "--N 32 --filters-scale 0.0625 --estimate-iterations 3 --longer 6",
    )
    options.add_model_options(parser, filters_scale=0.25, batch_size=8, estimate_iterations=40)
    parser.set_defaults(learning_rate=4e-3)
    add = parser.add_argument
    add("--photons", type=float, default=1e4, help="in the empty beam, for each pattern (default 1e4)")
    add(
        "--arms", type=choose_arms, default=ARMS, help="ways of training, with commas (default: supervised,poisson,mae)"
    )
    add(
        "--longer", type=updates, default=(80, 160), help="updates of the estimates that get more time (default 80,160)"
    )
    add("--nobjects", type=positive, default=24, help="objects to train on (default 24)")
    add("--ngroups", type=positive, default=32, help="groups of each of them (default 32)")
    add("--nepochs", type=positive, default=10, help="epochs of each arm (default 10)")
    add("--ntest-objects", type=positive, default=5, help="objects to reconstruct (default 5)")
    add("--ntest", type=positive, default=128, help="groups of each of them (default 128)")
    add("--seed", type=int, default=0, help="of objects, scans, noise and training (default 0)")
    output.add_options(parser, "learning_results")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the study. Errors of TensorFlow are not caught."""
    parser = build_parser()
    args = parser.parse_args(argv)
    refusal = output.refusal(args)
    if refusal:
        parser.error(refusal)

    from ptycho import params
    from ptycho.config.config import update_legacy_dict

    try:
        config = options.training_config(args, nphotons=args.photons)
    except ValueError as error:
        parser.error(str(error))
    update_legacy_dict(params.cfg, config)

    from ptycho.workflows.learning_study import run_study

    try:
        run_study(args)
    except output.ResumeError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
