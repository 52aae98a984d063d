"""The work of the dose-response study; its command line is in `dose_response`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from typing import Any

import keras
import numpy as np

from ptycho import diffsim, loader, model, params, probe, train_pinn
from ptycho.raw_data import RawData
from ptycho.workflows.compare import compare_to_truth
from ptycho.workflows.dose_response import Arm
from ptycho.workflows.dose_response_figure import Panel, draw


def run_study(args: argparse.Namespace) -> dict[str, Any]:
    """Run all arms of parsed arguments, write the results, return the metrics."""
    rng = np.random.default_rng(args.seed)
    truth = diffsim.lines_object(args.object_size or args.N + 96, rng)
    step = params.get("offset")
    x, y = diffsim.raster_positions(len(truth), args.N, step=step, jitter=step / 4, rng=rng)
    scans: dict[float, RawData] = {}
    results, panels = {}, []
    for arm in args.arms:
        if arm.nphotons not in scans:
            scans[arm.nphotons] = RawData.from_simulation(
                x, y, probe.get_default_probe(), truth, arm.nphotons, np.random.default_rng(args.seed + 1)
            )
        metrics, panel = run_arm(arm, scans[arm.nphotons], truth, args)
        results[arm.name] = metrics
        panels.append(panel)
        print(f"{arm.name}: {json.dumps(metrics)}", flush=True)

    args.output_dir.mkdir(parents=True, exist_ok=True)
    settings = {key: value for key, value in params.cfg.items() if key != "probe"}
    written = {"arms": results, "settings": settings, "seed": args.seed}
    (args.output_dir / "metrics.json").write_text(json.dumps(written, indent=2) + "\n")
    patterns = {dose: scan.diff3d[len(x) // 2] for dose, scan in sorted(scans.items())}
    draw(truth, patterns, panels, args.output_dir / "figure.png")
    print(f"wrote {args.output_dir / 'metrics.json'} and {args.output_dir / 'figure.png'}", flush=True)
    return written


def run_arm(arm: Arm, scan: RawData, truth: np.ndarray, args: argparse.Namespace) -> tuple[dict[str, Any], Panel]:
    """Train and evaluate one arm: its metrics, and its reconstruction for the figure."""
    print(f"{arm.name}: {arm.nphotons:g} photons per pattern, {arm.loss} loss", flush=True)
    params.set("nphotons", arm.nphotons)
    params.set("loss", arm.loss)
    keras.utils.set_random_seed(args.seed)
    probe.set_probe_guess(scan.probeGuess)

    groups = scan.generate_grouped_data(args.ngroups + args.ntest, seed=args.seed)
    train_data = loader.load({key: value[: args.ngroups] for key, value in groups.items()})
    test_data = loader.load({key: value[args.ngroups :] for key, value in groups.items()}, train_data.intensity_scale)
    if args.positions_layout == "flat":
        train_data, test_data = (
            dataclasses.replace(data, coords=data.coords.mean(axis=(1, 3))) for data in (train_data, test_data)
        )

    started = time.perf_counter()
    autoencoder, _ = model.create_compiled_model()
    history = model.train(params.get("nepochs"), train_data, autoencoder)
    result = train_pinn.evaluate(autoencoder, test_data)  # Keras' own default batch size, 32
    metrics = {
        "final_loss": history.history["loss"][-1],
        "seconds": round(time.perf_counter() - started, 1),
        "rows_in": len(test_data),
        "rows_out": len(result.objects),
        **compare_to_truth(result, truth),
    }
    return metrics, Panel(arm.name, result.stitched, result.coverage > 0.5)
