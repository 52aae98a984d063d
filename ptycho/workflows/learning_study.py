"""The work of the study of learning; its command line is in `learning`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ptycho import metrics, probe
from ptycho.workflows import grid_lines_data as data
from ptycho.workflows import learning_table
from ptycho.workflows.compare import common_region
from ptycho.workflows.grid_lines_study import mean
from ptycho.workflows.learning_arms import Part, arm, likelihoods, make_parts
from ptycho.workflows.learning_figure import draw
from ptycho.workflows.learning_objects import LINES
from ptycho.workflows.output import Arms, Result, write_json


def run_study(args: argparse.Namespace) -> dict[str, Any]:
    """Run all arms of parsed arguments, write the results, return what is in metrics.json."""
    probe.set_probe_guess(None)
    training = make_parts(args, args.nobjects, data.TRAINING, args.ngroups)
    test = {LINES: make_parts(args, args.ntest_objects, data.TEST, args.ntest)}
    test |= {kind: make_parts(args, args.nother, data.TEST, args.ntest, kind) for kind in args.kinds}
    configuration = configure(args)
    arms = Arms(args.output_dir, configuration, args.resume)
    results: dict[str, Result] = {}
    for name in names(args):
        result = arms.finished(name)
        if result is None:
            result = run_arm(name, args, training, test)
            arms.save(name, result)
        results[name] = result
        print(f"{name}: {summary(result.metrics)}", flush=True)
    found = {name: result.metrics for name, result in results.items()}
    first, *others = found
    gains = {f"{name} over {first}": gain(found[first], found[name]) for name in others}
    pairs = [(f"solver-{number}", name) for name in ("whole", "whole-mixed") for number in args.solver]
    pairs = [pair for pair in (*pairs, ("mae", "poisson")) if found.keys() >= set(pair)]
    gains |= {f"{name} over {other}": gain(found[other], found[name]) for other, name in pairs}
    written = {"configuration": configuration, "arms": found, "gains": gains}
    write_json(args.output_dir / "metrics.json", written)
    (args.output_dir / "tables.md").write_text(learning_table.write(found, gains), encoding="utf-8")
    draw(results, tuple(test), args.output_dir)
    for name, value in gains.items():
        print(f"{name}: {value}")
    return written


def names(args: argparse.Namespace) -> list[str]:
    """All arms: the estimates, the truth, the solver, and what is trained."""
    updates = dict.fromkeys([args.estimate_iterations, *args.longer])
    estimates = [f"estimate-{number}" for number in updates]
    return [*estimates, "truth", *(f"solver-{number}" for number in args.solver), *args.arms]


def configure(args: argparse.Namespace) -> dict[str, Any]:
    """All that an arm depends on, as JSON can hold it."""
    left_out = ("output_dir", "overwrite", "resume", "arms", "longer", "solver")
    return {key: value for key, value in vars(args).items() if key not in left_out}


def run_arm(
    name: str, args: argparse.Namespace, training: Sequence[Part], test: Mapping[str, Sequence[Part]]
) -> Result:
    """Train, and reconstruct every test object. The times are those of the training, and of all objects of lines."""
    started = clocks()
    reconstruct = arm(name, args, training)
    times = {"train": clocks() - started}
    arrays: dict[str, np.ndarray] = {}
    by_kind = {}
    for kind, parts in test.items():
        started = clocks()
        found = [reconstruct(part) for part in parts]
        times.setdefault("reconstruct", clocks() - started)
        figures = []
        for number, (part, each) in enumerate(zip(parts, found, strict=True)):
            image, truth = common_region(each.stitched, each.origin, part.scan.objectGuess, part.scan)
            figures.append(metrics.compare(image, truth))
            prefix = "" if kind == LINES else f"{kind}_"
            arrays[f"{prefix}stitched_{number}"], arrays[f"{prefix}truth_{number}"] = image, truth
        fits = [likelihoods(each, part) for each, part in zip(found, parts, strict=True)]
        by_kind[kind] = {"by_object": figures, "mean": mean(figures), "losses": mean(fits)}
    others = {kind: by_kind[kind] for kind in by_kind if kind != LINES}
    processor, wall = ({key: round(float(each[i]), 3) for key, each in times.items()} for i in (0, 1))
    return Result(arrays, {**by_kind[LINES], "kinds": others, "processor_seconds": processor, "wall_seconds": wall})


def clocks() -> np.ndarray:
    """Seconds of processor time (all threads), and of the clock."""
    return np.array([time.process_time(), time.perf_counter()])


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
    return "; ".join([*parts, f"{seconds['train']:.1f} s + {seconds['reconstruct']:.1f} s"])
