"""Grid lines: the physics-informed network (PINN) against a supervised baseline, on objects that neither has seen.

Objects are random crossing lines. Both networks are trained on scans of the training objects, the PINN on their
patterns alone, the baseline on their patterns and the true patches; each then reconstructs whole test objects. Writes
into the output folder: metrics.json (SSIM, MAE, PSNR and FRC50 for amplitude and phase), comparison.png,
configuration.json, and an .npz file with the stitched arrays of each arm.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ptycho.workflows import options, output
from ptycho.workflows.options import positive


def seeds(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them."""
    parts = text.split(",")
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"expected whole numbers with commas between them, not {text!r}")
    return tuple(dict.fromkeys(map(int, parts)))


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.workflows.grid_lines_workflow",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A quick run: --nimgs-train 1 --nimgs-test 1 --nepochs 1 --object-size 96 --ngroups 32 "
        "--filters-scale 0.0625 --estimate-iterations 5",
    )
    options.add_model_options(parser, filters_scale=0.25, batch_size=8, estimate_iterations=48)
    add = parser.add_argument
    add("--nimgs-train", type=positive, default=2, help="objects to train on (default 2)")
    add("--nimgs-test", type=positive, default=2, help="objects to reconstruct (default 2)")
    add("--nepochs", type=positive, default=2, help="epochs of each network (default 2)")
    add("--ngroups", type=positive, default=300, help="groups of each training object in an epoch (default 300)")
    add("--object-size", type=positive, help="side of the objects in pixels (default N + 96)")
    add("--photons", type=float, default=1e9, help="in the empty beam (default 1e9)")
    add("--loss", choices=("mae", "poisson"), default="mae", help="of the PINN (default mae, of amplitudes)")
    add(
        "--object-big",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="merge the patches of a group before diffracting (default: yes)",
    )
    add("--untrained", action="store_true", help="reconstruct with the PINN before its first step too")
    add("--seeds", type=seeds, default=(0,), help="of objects, scans, noise and training, such as 0,1,2 (default 0)")
    add("--train-data", type=Path, action="append", metavar="FILE", help="train on this .npz scan; may be repeated")
    add("--test-data", type=Path, action="append", metavar="FILE", help="reconstruct this .npz scan; may be repeated")
    output.add_options(parser, "grid_lines_results")
    options.add_fault_options(parser)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the study. Errors of TensorFlow are not caught."""
    parser = build_parser()
    args = parser.parse_args(argv)
    refusal = output.refusal(args)
    if refusal:
        parser.error(refusal)
    if (args.train_data is None) != (args.test_data is None):
        parser.error("--train-data and --test-data go together")

    from ptycho import data_file, faults, params
    from ptycho.config.config import update_legacy_dict

    try:
        name, fault_options = options.chosen_fault(args)
        config = options.training_config(args, {"object_big": args.object_big}, loss=args.loss, nphotons=args.photons)
        scans = [[data_file.load(path) for path in paths or ()] for paths in (args.train_data, args.test_data)]
    except (ValueError, OSError) as error:
        parser.error(str(error))

    from ptycho.workflows.grid_lines_study import run_study

    with faults.applied(name, **fault_options):
        if name:
            print(f"fault put in: {name} {fault_options or ''}".rstrip(), flush=True)
        # A fault may be about what was made before the settings were written, as at an import.
        update_legacy_dict(params.cfg, config)
        try:
            run_study(args, *scans)
        except (output.ResumeError, data_file.DataFileError) as error:
            parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
