"""Trains a network on a simulated scan.

    python -m ptycho.train [--grid 2] [--batch 8] [--epochs 2] [--shift xla] [--out DIR]
"""

import argparse
import os

from . import evaluate, infer, loader, params
from .config import RunConfig, publish, with_changes
from .network import build_network


def fit(net, experiment):
    history = net.trainer.fit(
        loader.fit_stream(experiment.train),
        epochs=params.get("epochs"),
        verbose=2,
    )
    return {name: values[-1] for name, values in history.history.items()}


def held_out(net, experiment):
    return net.trainer.evaluate(loader.score_stream(experiment.test), verbose=0, return_dict=True)


def parse(argv):
    cli = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cli.add_argument("--grid", type=int, default=1)
    cli.add_argument("--batch", type=int, default=13)
    cli.add_argument("--infer-batch", type=int, default=50)
    cli.add_argument("--epochs", type=int, default=2)
    cli.add_argument("--shift", choices=("plain", "xla"), default="plain")
    cli.add_argument("--jit-step", action="store_true")
    cli.add_argument("--keep-last", action="store_true", help="train on the last, partial batch too")
    cli.add_argument("--out")
    return cli.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    run = with_changes(
        RunConfig(), grid=args.grid, batch=args.batch, infer_batch=args.infer_batch, epochs=args.epochs,
        shift_backend=args.shift, jit_step=args.jit_step, drop_last=not args.keep_last,
    )
    publish(run)
    experiment = loader.load_experiment()
    print(f"{len(experiment.train)} groups to train on, {len(experiment.test)} held out, "
          f"canvas {params.canvas_side()}")
    net = build_network()
    print("train     " + evaluate.format_scores(fit(net, experiment)))
    print("held out  " + evaluate.format_scores(held_out(net, experiment)))
    obj, cover = infer.reconstruct(net, experiment)
    print("object    " + evaluate.format_scores(evaluate.scores(obj, cover, experiment.specimen)))
    if args.out:
        os.makedirs(args.out, exist_ok=True)
        net.trainer.save_weights(os.path.join(args.out, "net.weights.h5"))
        with open(os.path.join(args.out, "run.json"), "w") as f:
            f.write(run.to_json())


if __name__ == "__main__":
    main()
