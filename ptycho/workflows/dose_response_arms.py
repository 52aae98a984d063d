"""The work of the dose-response study; its command line is in `dose_response`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from ptycho import diffsim, loader, metrics, params, probe, train_pinn
from ptycho.raw_data import RawData
from ptycho.workflows import options
from ptycho.workflows.compare import common_region
from ptycho.workflows.dose_response_figure import draw
from ptycho.workflows.output import Arms, Result, write_json

if TYPE_CHECKING:
    from ptycho.workflows.dose_response import Arm


def run_study(args: argparse.Namespace) -> dict[str, Any]:
    """Run all arms of parsed arguments, write the results, return the metrics."""
    rng = np.random.default_rng(args.seed)
    truth = diffsim.lines_object(args.object_size or args.N + 96, rng)
    step = params.get("offset")
    x, y = diffsim.raster_positions(len(truth), args.N, step=step, jitter=step / 4, rng=rng)
    arms = Arms(args.output_dir, configure(args), args.resume)
    scans: dict[float, RawData] = {}
    results: dict[str, Result] = {}
    for arm in args.arms:
        if arm.nphotons not in scans:
            scans[arm.nphotons] = RawData.from_simulation(
                x, y, probe.get_default_probe(), truth, arm.nphotons, np.random.default_rng(args.seed + 1)
            )
        result = arms.finished(arm.name)
        if result is None:
            print(f"{arm.name}: {arm.nphotons:g} photons per pattern, {arm.loss} loss", flush=True)
            result = run_arm(arm, scans[arm.nphotons], args)
            arms.save(arm.name, result)
        results[arm.name] = result
        print(f"{arm.name}: {json.dumps(result.metrics)}", flush=True)

    settings = {key: value for key, value in params.cfg.items() if key != "probe"}
    written = {
        "arms": {name: result.metrics for name, result in results.items()},
        "settings": settings,
        "seed": args.seed,
    }
    write_json(args.output_dir / "metrics.json", written)
    patterns = {dose: scan.diff3d[len(x) // 2] for dose, scan in sorted(scans.items())}
    panels = {name: result.arrays["stitched"] for name, result in results.items()}
    draw(next(iter(results.values())).arrays["truth"], patterns, panels, args.output_dir / "figure.png")
    print(f"wrote metrics.json, figure.png and arms/*.npz into {args.output_dir}", flush=True)
    return written


def configure(args: argparse.Namespace) -> dict[str, Any]:
    """All that an arm depends on, as JSON can hold it."""
    left_out = ("output_dir", "overwrite", "resume", "arms")
    return {key: value for key, value in vars(args).items() if key not in left_out}


def run_arm(arm: Arm, scan: RawData, args: argparse.Namespace) -> Result:
    """Train and evaluate one arm: its metrics, and its reconstruction beside the truth."""
    params.set("nphotons", arm.nphotons)
    params.set("loss", arm.loss)
    keras.utils.set_random_seed(args.seed)
    probe.set_probe_guess(scan.probeGuess)
    params.set("intensity_scale", loader.scale_of_beam(scan.beam_photons, args.N))

    groups = scan.generate_grouped_data(args.ngroups + args.ntest, seed=args.seed)
    train_data, test_data = (
        loader.load({key: value[part] for key, value in groups.items()}, params.get("intensity_scale"))
        for part in (slice(args.ngroups), slice(args.ngroups, None))
    )
    if args.positions_layout == "flat":
        train_data, test_data = (
            dataclasses.replace(data, coords=data.coords.mean(axis=(1, 3))) for data in (train_data, test_data)
        )

    started = time.perf_counter()
    autoencoder, history = train_pinn.train(train_data, verbose=options.verbosity())
    # Keras' own default batch size, 32
    result = train_pinn.evaluate(autoencoder, test_data, verbose=options.progress())
    stitched, truth = common_region(result.stitched, result.origin, scan.objectGuess, scan)
    return Result(
        {"stitched": stitched, "truth": truth},
        {
            "final_loss": history.history["loss"][-1],
            "seconds": round(time.perf_counter() - started, 1),
            "rows_in": len(test_data),
            "rows_out": len(result.objects),
            **metrics.compare(stitched, truth),
        },
    )
