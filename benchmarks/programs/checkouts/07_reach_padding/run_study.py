"""Study: what do overlapping groups bring over single patterns at equal dose?

Each arm publishes its settings, simulates the scan, builds a network, trains
and reconstructs the whole field of view.

    python run_study.py [ARM ...]
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

from ptycho import evaluate, infer, loader, params
from ptycho.config import RunConfig, publish, with_changes
from ptycho.network import build_network
from ptycho.train import fit

BASE = with_changes(RunConfig(), photons=1.0e4, epochs=3, shift_backend="xla")
ARMS = {
    "single": dict(grid=1, batch=16, infer_batch=32),
    "overlap": dict(grid=2, batch=8, infer_batch=16),
}


def run_arm(name, changes):
    publish(with_changes(BASE, **changes))
    print(f"== {name}: grid {params.get('grid')}, canvas {params.canvas_side()}, "
          f"batch {params.get('batch_size')}", flush=True)
    experiment = loader.load_experiment()
    net = build_network()
    last = fit(net, experiment)
    obj, cover = infer.reconstruct(net, experiment)
    result = evaluate.scores(obj, cover, experiment.specimen)
    result["r_factor"] = float(last["r_factor"])
    return result


def main(names):
    table = {name: run_arm(name, ARMS[name]) for name in names or ARMS}
    print("== summary")
    for name, values in table.items():
        print(f"{name:10s} {evaluate.format_scores(values)}")


if __name__ == "__main__":
    main(sys.argv[1:])
