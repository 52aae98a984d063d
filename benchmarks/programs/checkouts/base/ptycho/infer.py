"""Reconstruction of the whole object from the canvases of all groups.

    python -m ptycho.infer --weights run/net.weights.h5 [--grid 2] [--batch 16]
"""

import argparse

import numpy as np

from . import evaluate, loader, params
from .config import RunConfig, publish, with_changes
from .network import build_network


def predict_canvases(viewer, groups, batch=None):
    """Complex canvases (G, M, M)."""
    planes = viewer.predict(loader.as_inputs(groups), batch_size=batch or params.get("infer_batch"), verbose=0)
    return planes[..., 0] + 1j * planes[..., 1]


def stitch(canvases, centres, shape):
    """Adds the canvases around their centres; returns the object and its coverage."""
    side = canvases.shape[1]
    ramp = np.minimum(np.arange(side) + 1, np.arange(side)[::-1] + 1) - params.get("margin")
    ramp = np.clip(ramp, 0, None).astype("float32")
    window = np.outer(ramp, ramp)
    total = np.zeros(shape, "complex64")
    cover = np.zeros(shape, "float32")
    half = (side - 1) / 2
    for canvas, centre in zip(canvases, centres):
        y, x = np.floor(centre - half).astype(int)
        total[y:y + side, x:x + side] += canvas * window
        cover[y:y + side, x:x + side] += window
    return total / np.maximum(cover, 1e-3), cover


def reconstruct(net, experiment, batch=None):
    groups = experiment.everything
    canvases = predict_canvases(net.viewer, groups, batch)
    return stitch(canvases, groups.centres, experiment.specimen.shape)


def main(argv=None):
    cli = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cli.add_argument("--weights", required=True)
    cli.add_argument("--grid", type=int, default=2)
    cli.add_argument("--batch", type=int, default=16)
    cli.add_argument("--out")
    args = cli.parse_args(argv)

    publish(with_changes(RunConfig(), grid=args.grid, infer_batch=args.batch))
    net = build_network()
    net.trainer.load_weights(args.weights)
    experiment = loader.load_experiment()
    obj, cover = reconstruct(net, experiment)
    print(evaluate.format_scores(evaluate.scores(obj, cover, experiment.specimen)))
    if args.out:
        np.savez(args.out, object=obj, cover=cover)


if __name__ == "__main__":
    main()
