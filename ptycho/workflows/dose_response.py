"""Dose response: how well is an object recovered, at two doses and with two losses?

One synthetic object is scanned twice, with few and with many photons. From each scan two networks are
trained, one with the Poisson likelihood and one with the mean absolute error of amplitudes; each then
reconstructs groups of the scan that it has not seen. Writes metrics.json, figure.png, and an .npz file with the
stitched array of each arm into the output folder.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from ptycho.workflows import options, output
from ptycho.workflows.options import positive


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


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.workflows.dose_response",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A quick run: --arms 1 --nepochs 1 --ngroups 130 --filters-scale 0.125\n"
        "Keras traces with an unknown batch if --ngroups is no multiple of --batch-size, else with a fixed one.",
    )
    options.add_model_options(parser, filters_scale=0.25, batch_size=32, estimate_iterations=20)
    add = parser.add_argument
    add("--nepochs", type=positive, default=3, help="epochs of each arm (default 3)")
    add("--ngroups", type=positive, default=400, help="groups to train on (default 400)")
    add("--ntest", type=positive, default=400, help="groups to reconstruct (default 400)")
    add("--object-size", type=positive, help="side of the object in pixels (default N + 96)")
    add("--arms", type=choose_arms, default=ARMS, help="how many arms, or names with commas (default: all 4)")
    add("--positions-layout", choices=("channel", "flat"), default="channel", help="feed (B 1 2 C), or (B 2)")
    add("--seed", type=int, default=0, help="of object, scan, noise and training (default 0)")
    output.add_options(parser, "dose_response_results")
    options.add_fault_options(parser)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the study. Errors of TensorFlow are not caught."""
    parser = build_parser()
    args = parser.parse_args(argv)
    refusal = output.refusal(args)
    if refusal:
        parser.error(refusal)

    from ptycho import faults, params
    from ptycho.config.config import update_legacy_dict

    try:
        name, fault_options = options.chosen_fault(args)
        config = options.training_config(args)
    except ValueError as error:
        parser.error(str(error))

    from ptycho.workflows.dose_response_arms import run_study

    with faults.applied(name, **fault_options):
        if name:
            print(f"fault put in: {name} {fault_options or ''}".rstrip(), flush=True)
        # A fault may be about what was made before the settings were written, as at an import.
        update_legacy_dict(params.cfg, config)
        try:
            run_study(args)
        except output.ResumeError as error:
            parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
