"""The work of the grid-lines study; its command line is in `grid_lines_workflow`."""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from ptycho import metrics, model, params, probe, train_baseline, train_pinn
from ptycho.raw_data import RawData
from ptycho.train_pinn import Reconstruction
from ptycho.workflows import grid_lines_data as data
from ptycho.workflows import options
from ptycho.workflows.compare import common_region
from ptycho.workflows.grid_lines_figure import draw
from ptycho.workflows.output import Arms, Result, write_json

KINDS = ("pinn", "baseline")
#: the PINN before its first step
UNTRAINED = "untrained"


def run_study(args: argparse.Namespace, train: Sequence[RawData], test: Sequence[RawData]) -> dict[str, Any]:
    """Run all arms of parsed arguments, write the results, return what is in metrics.json."""
    data.check_files(train, test)
    configuration = configure(args)
    arms = Arms(args.output_dir, configuration, args.resume)
    results = {}
    kinds = (*KINDS, UNTRAINED) if args.untrained else KINDS
    for seed in args.seeds:
        for kind in kinds:
            name = f"{kind}-seed{seed}"
            result = arms.finished(name)
            if result:
                print(f"{name}: finished before", flush=True)
            else:
                print(f"{name}: training", flush=True)
                result = run_arm(kind, seed, args, train, test)
                arms.save(name, result)
            results[kind, seed] = result
            print(f"{name}: {summary(result.metrics)}", flush=True)

    write_json(args.output_dir / "configuration.json", configuration)
    written = {kind: mean([results[kind, seed].metrics for seed in args.seeds]) for kind in kinds}
    written["by_seed"] = {str(seed): {kind: results[kind, seed].metrics for kind in kinds} for seed in args.seeds}
    write_json(args.output_dir / "metrics.json", written)
    figure = args.output_dir / "comparison.png"
    first = {kind: results[kind, args.seeds[0]].arrays for kind in KINDS}
    draw(first["pinn"].get("truth_0"), {kind: arrays["stitched_0"] for kind, arrays in first.items()}, figure)
    print(f"wrote metrics.json, configuration.json, {figure.name} and arms/*.npz into {args.output_dir}", flush=True)
    return written


def configure(args: argparse.Namespace) -> dict[str, Any]:
    """All that the results depend on, as JSON can hold it."""
    left_out = ("output_dir", "overwrite", "resume", "seeds", "untrained", "train_data", "test_data")
    given = {key: value for key, value in vars(args).items() if key not in left_out}
    files = {key: [path.name for path in getattr(args, key) or ()] for key in ("train_data", "test_data")}
    settings = {key: value for key, value in params.cfg.items() if key not in ("probe", "intensity_scale")}
    return {**given, **files, "object_size": object_size(args), "settings": settings}


def object_size(args: argparse.Namespace) -> int:
    """Side of the objects in pixels."""
    return args.object_size or args.N + 96


def run_arm(
    kind: str, seed: int, args: argparse.Namespace, train: Sequence[RawData], test: Sequence[RawData]
) -> Result:
    """Train one network and reconstruct every test object."""
    keras.utils.set_random_seed(seed)
    probe.set_probe_guess(train[0].probeGuess if train else None)
    size = object_size(args)
    train = train or data.simulate(args.nimgs_train, data.TRAINING, seed, size, args.photons)
    test = test or data.simulate(args.nimgs_test, data.TEST, seed, size, args.photons)
    scale = data.intensity_scale(train)
    params.set("intensity_scale", scale)
    groups, indices = data.training_groups(train, args.ngroups, seed, scale)

    started, processor = time.perf_counter(), time.process_time()
    verbose = options.verbosity()
    history = None
    if kind == UNTRAINED:
        network, _ = model.create_compiled_model()
    elif kind == "pinn":
        network, history = train_pinn.train(groups, args.nepochs, verbose=verbose)
    else:
        patches = np.concatenate(
            [train_baseline.true_patches(scan, own) for scan, own in zip(train, indices, strict=True)]
        )
        network, history = train_baseline.train(groups, patches, args.nepochs, verbose=verbose)
    seconds = time.perf_counter() - started
    losses = {"final_loss": history.history["loss"][-1]} if history else {}

    arrays, figures = {}, []
    rows_in = rows_out = 0
    for number, scan in enumerate(test):
        found, rows = reconstruct(kind, network, scan, seed, data.intensity_scale([scan]))
        rows_in, rows_out = rows_in + len(scan.xcoords), rows_out + rows
        stitched, truth = found.stitched, scan.objectGuess
        if truth is not None:
            stitched, truth = common_region(stitched, found.origin, truth, scan)
            figures.append(metrics.compare(stitched, truth))
            arrays[f"truth_{number}"] = truth
        arrays[f"stitched_{number}"] = stitched
    return Result(
        arrays,
        {
            **mean(figures),
            **losses,
            "train_seconds": round(seconds, 1),
            "processor_seconds": round(time.process_time() - processor, 1),
            "rows_in": rows_in,
            "rows_out": rows_out,
        },
    )


def reconstruct(kind: str, network: keras.Model, scan: RawData, seed: int, scale: float) -> tuple[Reconstruction, int]:
    """The whole object of a scan, and the number of groups that the network returned. No truth enters."""
    groups = data.test_groups(dataclasses.replace(scan, objectGuess=None), seed, scale)
    if kind in ("pinn", UNTRAINED):
        # Keras' own default batch size, 32
        found = train_pinn.evaluate(network, groups, verbose=options.progress())
        return found, len(found.objects)
    patches = train_baseline.predict(network, groups, verbose=options.progress())
    return Reconstruction(patches, groups.X, *train_pinn.stitch(patches, groups)), len(patches)


def mean(figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean of dicts of numbers, which may be nested; of none, an empty one."""
    if not figures:
        return {}
    return {
        key: mean([each[key] for each in figures])
        if isinstance(value, dict)
        else float(np.mean([each[key] for each in figures]))
        for key, value in figures[0].items()
    }


def summary(figures: dict[str, Any]) -> str:
    """One line for the terminal."""
    parts = [
        f"{part} SSIM {figures[part]['ssim']:.3f}, MAE {figures[part]['mae']:.3f}, "
        f"PSNR {figures[part]['psnr']:.1f} dB, FRC50 {figures[part]['frc50']:.3f}"
        for part in ("amplitude", "phase")
        if part in figures
    ]
    rows = f"{figures['rows_out']} of {figures['rows_in']} groups, {figures['train_seconds']} s"
    return "; ".join([*parts, rows])
