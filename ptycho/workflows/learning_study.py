"""The work of the study of learning; its command line is in `learning`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
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

#: the whole object (M L), and (x, y) of its first pixel
Stitched = tuple[np.ndarray, tuple[float, float]]


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
    updates = dict.fromkeys([args.estimate_iterations, *args.longer])
    for name in (*(f"estimate-{number}" for number in updates), "truth", *args.arms):
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
    """Reconstruct every test object: from its true patches, which shows what stitching costs, or by a network."""
    times = [time.process_time()]
    stitch = stitch_truth if name == "truth" else stitch_by_network(name, args, training)
    times.append(time.process_time())
    arrays, figures = {}, []
    for number, part in enumerate(test):
        stitched, origin = stitch(part)
        found, truth = common_region(stitched, origin, part.scan.objectGuess, part.scan)
        figures.append(metrics.compare(found, truth))
        arrays[f"stitched_{number}"], arrays[f"truth_{number}"] = found, truth
    times.append(time.process_time())
    seconds = dict(zip(("train", "reconstruct"), np.diff(times).round(1).tolist(), strict=True))
    return Result(arrays, {"by_object": figures, "mean": mean(figures), "processor_seconds": seconds})


def stitch_truth(part: Part) -> Stitched:
    """The object from true patches, as if the network had made them."""
    patches = train_baseline.true_patches(part.scan, part.indices)
    stitched, _, origin = train_pinn.stitch(patches, part.groups)
    return stitched, origin


def stitch_by_network(name: str, args: argparse.Namespace, training: Sequence[Part]) -> Callable[[Part], Stitched]:
    """Build a network and train it as the arm says. The result is a function that does not look at the truth."""
    kind, _, number = name.partition("-")
    keras.utils.set_random_seed(args.seed)
    params.set("estimate_iterations", int(number or args.estimate_iterations))
    groups = loader.concatenate([part.groups for part in training])
    params.set("intensity_scale", groups.intensity_scale)
    steps = args.nepochs * -(-len(groups) // params.get("batch_size"))
    loss = kind if kind in ("poisson", "mae") else "mae"
    autoencoder, _ = model.create_compiled_model(loss=loss, steps=steps)
    if kind == "supervised":
        patches = np.concatenate([train_baseline.true_patches(part.scan, part.indices) for part in training])
        pretraining.pretrain(autoencoder, groups, patches, args.nepochs, verbose=options.verbosity())
    elif kind != "estimate":
        model.train(args.nepochs, groups, autoencoder, verbose=options.verbosity())

    def stitch(part: Part) -> Stitched:
        made = train_pinn.evaluate(autoencoder, part.groups)
        return made.stitched, made.origin

    return stitch


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
