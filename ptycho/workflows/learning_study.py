"""The work of the study of learning; its command line is in `learning`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from ptycho import loader, metrics, model, params, pretraining, probe, train_baseline, train_pinn
from ptycho.loader import PtychoDataContainer
from ptycho.raw_data import RawData
from ptycho.workflows import grid_lines_data as data
from ptycho.workflows import options
from ptycho.workflows.compare import common_region
from ptycho.workflows.grid_lines_study import mean
from ptycho.workflows.output import Arms, Result, write_json


@dataclass(frozen=True)
class Part:
    """The scan of one object, some groups of it, and the patterns that are in them: indices (B C) into the scan."""

    scan: RawData
    groups: PtychoDataContainer
    indices: np.ndarray


def run_study(args: argparse.Namespace) -> dict[str, Any]:
    """Run all arms of parsed arguments, write the results, return what is in metrics.json."""
    probe.set_probe_guess(None)
    training = make_parts(args, args.nobjects, data.TRAINING, args.ngroups)
    test = make_parts(args, args.ntest_objects, data.TEST, args.ntest)
    configuration = configure(args)
    arms = Arms(args.output_dir, configuration, args.resume)
    results = {}
    for name in (f"estimate-{args.estimate_iterations}", *(f"estimate-{number}" for number in args.longer), *args.arms):
        result = arms.finished(name)
        if result is None:
            result = run_arm(name, args, training, test)
            arms.save(name, result)
        results[name] = result.metrics
        print(f"{name}: {summary(results[name])}", flush=True)
    first, *others = results
    gains = {f"{name} over {first}": gain(results[first], results[name]) for name in others}
    written = {"configuration": configuration, "arms": results, "gains": gains}
    write_json(args.output_dir / "metrics.json", written)
    for name, value in gains.items():
        print(f"{name}: {value}")
    return written


def make_parts(args: argparse.Namespace, count: int, purpose: int, ngroups: int) -> list[Part]:
    """Scans of new objects with random groups of each."""
    parts = []
    scale = loader.scale_of_beam(args.photons, args.N)
    for number, scan in enumerate(data.simulate(count, purpose, args.seed, args.N + 96, args.photons)):
        groups, indices = data.training_groups([scan], ngroups, args.seed + number, scale)
        parts.append(Part(scan, groups, indices[0]))
    return parts


def configure(args: argparse.Namespace) -> dict[str, Any]:
    """All that an arm depends on, as JSON can hold it."""
    left_out = ("output_dir", "overwrite", "resume", "arms", "longer")
    return {key: value for key, value in vars(args).items() if key not in left_out}


def run_arm(name: str, args: argparse.Namespace, training: Sequence[Part], test: Sequence[Part]) -> Result:
    """Build a network, train it as the arm says, reconstruct every test object."""
    kind, _, number = name.partition("-")
    keras.utils.set_random_seed(args.seed)
    params.set("estimate_iterations", int(number or args.estimate_iterations))
    groups = loader.concatenate([part.groups for part in training])
    params.set("intensity_scale", groups.intensity_scale)
    steps = args.nepochs * -(-len(groups) // params.get("batch_size"))
    loss = "mae" if kind in ("estimate", "supervised") else kind
    autoencoder, _ = model.create_compiled_model(loss=loss, steps=steps)
    times = [time.process_time()]
    if kind == "supervised":
        patches = np.concatenate([train_baseline.true_patches(part.scan, part.indices) for part in training])
        pretraining.pretrain(autoencoder, groups, patches, args.nepochs, verbose=options.verbosity())
    elif kind != "estimate":
        model.train(args.nepochs, groups, autoencoder, verbose=options.verbosity())
    times.append(time.process_time())
    arrays, figures = reconstruct(autoencoder, test)
    times.append(time.process_time())
    seconds = dict(zip(("train", "reconstruct"), np.diff(times).round(1).tolist(), strict=True))
    return Result(arrays, {"by_object": figures, "mean": mean(figures), "processor_seconds": seconds})


def reconstruct(autoencoder: keras.Model, test: Sequence[Part]) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """Each test object, and its figures. The truth enters only into these."""
    arrays, figures = {}, []
    for number, part in enumerate(test):
        made = train_pinn.evaluate(autoencoder, part.groups)
        found, truth = common_region(made.stitched, made.origin, part.scan.objectGuess, part.scan)
        figures.append(metrics.compare(found, truth))
        arrays[f"stitched_{number}"], arrays[f"truth_{number}"] = found, truth
    return arrays, figures


def gain(before: dict[str, Any], after: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Differences of SSIM on the same objects: mean, standard deviation over the objects, and smallest."""
    found = {}
    for part in ("amplitude", "phase"):
        pairs = zip(before["by_object"], after["by_object"], strict=True)
        values = np.array([b[part]["ssim"] - a[part]["ssim"] for a, b in pairs])
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        rows = {"mean": values.mean(), "sd": spread, "smallest": values.min()}
        found[part] = {key: round(float(value), 4) for key, value in rows.items()}
    return found


def summary(figures: dict[str, Any]) -> str:
    """One line for the terminal."""
    parts = [
        f"{part} SSIM {figures['mean'][part]['ssim']:.3f}, MAE {figures['mean'][part]['mae']:.3f}, "
        f"FRC50 {figures['mean'][part]['frc50']:.3f}"
        for part in ("amplitude", "phase")
    ]
    seconds = figures["processor_seconds"]
    return "; ".join([*parts, f"{seconds['train']} s + {seconds['reconstruct']} s"])
