"""Learning: what does training add to the first estimate, on objects that the network has never seen?

Networks are trained on simulated scans of random lines, each arm in its own way, and then reconstruct new objects from
few groups. The first estimate alone is a row, with more updates too, and so is an iterative solver that joins all
patterns: as much as the time of a training buys. Gains are differences on the same object. Writes metrics.json,
tables.md and two figures into the output folder.
"""

from __future__ import annotations

import argparse
import sys

from ptycho.workflows import learning_objects, options, output
from ptycho.workflows.options import positive

ARMS = ("supervised", "poisson", "mae", "bare", "whole", "whole-mixed")
DEFAULT_ARMS = ("supervised", "poisson", "mae", "whole")


def choose_arms(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    chosen = tuple(dict.fromkeys(text.split(",")))
    if not set(chosen) <= set(ARMS):
        raise argparse.ArgumentTypeError(f"expected names out of {', '.join(ARMS)}")
    return chosen


def updates(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, in order."""
    return tuple(sorted({positive(part) for part in text.split(",")}))


def kinds(text: str) -> tuple[str, ...]:
    """Names of `learning_objects.IMAGES` with commas between them, or nothing."""
    chosen = tuple(dict.fromkeys(filter(None, text.split(","))))
    if not set(chosen) <= set(learning_objects.IMAGES):
        raise argparse.ArgumentTypeError(f"expected names out of {', '.join(learning_objects.IMAGES)}")
    return chosen


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.workflows.learning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A quick run: --nobjects 1 --ntest-objects 2 --ngroups 8 --ntest 8 --nepochs 1 --arms supervised "
        "--N 32 --filters-scale 0.0625 --estimate-iterations 3 --longer 6 --solver 2",
    )
    options.add_model_options(parser, filters_scale=0.25, batch_size=8, estimate_iterations=40)
    parser.set_defaults(learning_rate=4e-3)
    add = parser.add_argument
    add("--photons", type=float, default=1e4, help="in the empty beam, for each pattern (default 1e4)")
    add(
        "--arms",
        type=choose_arms,
        default=DEFAULT_ARMS,
        help=f"ways of training, with commas, out of {', '.join(ARMS)} (default: {','.join(DEFAULT_ARMS)})",
    )
    add(
        "--longer", type=updates, default=(80, 160), help="updates of the estimates that get more time (default 80,160)"
    )
    add("--nobjects", type=positive, default=24, help="objects to train on (default 24)")
    add("--ngroups", type=positive, default=32, help="groups of each of them (default 32)")
    add("--nepochs", type=positive, default=10, help="epochs of the supervised arm (default 10)")
    add("--physics-epochs", type=positive, default=2, help="epochs of the arms poisson and mae (default 2)")
    add("--bare-epochs", type=positive, default=20, help="epochs of the arm bare (default 20)")
    add("--whole-steps", type=positive, default=800, help="steps of the arms whole and whole-mixed (default 800)")
    add("--ntest-objects", type=positive, default=5, help="objects to reconstruct (default 5)")
    add("--ntest", type=positive, default=128, help="groups of each of them (default 128)")
    add("--kinds", type=kinds, default=(), help="other objects to reconstruct, such as cell,camera (default: none)")
    add("--nother", type=positive, default=2, help="how many of each of these kinds (default 2)")
    add(
        "--network-input",
        choices=("estimate", "residuals"),
        default="estimate",
        help="what a network of groups sees (default estimate)",
    )
    add("--solver", type=updates, default=(5, 20, 80), help="sweeps of the solver, a row each (default 5,20,80)")
    add("--sweeps", type=positive, default=20, help="sweeps before the network for whole objects (default 20)")
    add("--regularisation", type=float, default=0.5, help="of the solver: ptycho.iterative (default 0.5)")
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
    except (output.ResumeError, learning_objects.MissingImages) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
