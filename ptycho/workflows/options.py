"""What the command lines of the studies share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptycho.config.config import TrainingConfig


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive whole number, not {text!r}")
    return int(text)


def add_model_options(
    parser: argparse.ArgumentParser, filters_scale: float, batch_size: int, estimate_iterations: int
) -> None:
    """Size of patterns, groups, batches and network; XLA."""
    add = parser.add_argument
    add("--N", type=positive, default=64, help="side of the diffraction patterns, a multiple of 8 (default 64)")
    add("--gridsize", type=positive, default=2, help="patches of a group along each axis (default 2)")
    add(
        "--batch-size",
        type=positive,
        default=batch_size,
        help=f"groups in a training batch (default {batch_size})",
    )
    add(
        "--filters-scale",
        type=float,
        default=filters_scale,
        help=f"multiplies the filters of the network (default {filters_scale})",
    )
    add(
        "--estimate-iterations",
        type=positive,
        default=estimate_iterations,
        help=f"updates of phase retrieval before the network (default {estimate_iterations})",
    )
    add("--learning-rate", type=float, default=2e-3, help="of Adam, at its highest (default 0.002)")
    add("--jit-compile", choices=("auto", "on", "off"), help="XLA for the whole train and predict steps (Keras)")


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """`--fault` and `--fault-option`."""
    add = parser.add_argument
    add("--fault", metavar="NAME", help="put a historic failure in; python -m ptycho.faults lists them")
    add("--fault-option", metavar="KEY=VALUE", action="append", default=[], help="such as threshold=16")


def chosen_fault(args: argparse.Namespace) -> tuple[str | None, dict[str, Any]]:
    """Name and options of the fault that the command line, or else the environment, asks for. Raises ValueError."""
    from ptycho import faults

    name, texts = args.fault, args.fault_option
    if name is None and faults.from_environment():
        name, given = faults.from_environment()
        texts = given + texts
    if texts and name is None:
        raise ValueError("--fault-option needs --fault")
    return name, faults.parse_options(faults.get(name), texts) if name else {}


def training_config(args: argparse.Namespace, model: Mapping[str, Any] | None = None, **more: Any) -> TrainingConfig:
    """The settings that the options of a study stand for, with `more` of the training and of its `model`.

    Raises:
        ValueError: they do not go together.
    """
    from ptycho.config.config import ModelConfig, TrainingConfig

    network = ModelConfig(
        N=args.N,
        gridsize=args.gridsize,
        filters_scale=args.filters_scale,
        estimate_iterations=args.estimate_iterations,
        **(model or {}),
    )
    if args.jit_compile:
        more["use_xla_compile"] = {"auto": "auto", "on": True, "off": False}[args.jit_compile]
    return TrainingConfig(
        model=network, batch_size=args.batch_size, nepochs=args.nepochs, learning_rate=args.learning_rate, **more
    )


def progress() -> int:
    """Keras' `verbose` of a prediction: a progress bar on a terminal, nothing elsewhere."""
    return int(sys.stdout.isatty())


def verbosity() -> int:
    """Keras' `verbose`: a progress bar on a terminal, a line per epoch elsewhere."""
    return 1 if sys.stdout.isatty() else 2
