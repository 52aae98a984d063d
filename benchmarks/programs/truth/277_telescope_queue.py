"""Light-curve search: worker processes fold the curves, a thread feeds the batches to a classifier."""
import json
import queue
import signal
import subprocess
import sys
import threading

import numpy as np
import tensorflow as tf
from tensorflow import keras

BINS = 24

WORKER = """
import json, math, random, sys, time
seed, stars, slow = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1"
rng = random.Random(seed)
if slow:
    print("Error: archive node does not answer, waiting", file=sys.stderr, flush=True)
    time.sleep(600)
for _ in range(stars):
    planet = rng.random() < 0.5
    width = rng.uniform(0.05, 0.15)
    curve = []
    for i in range(24):
        phase = (i + 0.5) / 24 - 0.5
        dip = 0.6 if planet and abs(phase) < width else 0.0
        curve.append(1.0 - dip + rng.gauss(0, 0.05))
    print(json.dumps({"planet": planet, "curve": curve}))
if seed % 3 == 0:
    raise RuntimeError("worker %d: checksum of the night log is off, results were flushed before" % seed)
"""


def start(seed, stars, slow=False):
    command = [sys.executable, "-c", WORKER, str(seed), str(stars), "1" if slow else "0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=None, text=True)


def harvest(process, patience):
    try:
        out, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
    if process.returncode == -signal.SIGKILL:
        print("Killed: worker", process.pid, "took too long and is left out of this run", file=sys.stderr)
    elif process.returncode:
        print(f"worker {process.pid} ended with status {process.returncode}, its lines are kept")
    return [json.loads(line) for line in out.splitlines()]


class Feeder(threading.Thread):
    """Puts batches into a bounded queue; None says that there are no more."""

    def __init__(self, x, y, batch, rounds):
        super().__init__(daemon=True)
        self.x, self.y, self.batch, self.rounds = x, y, batch, rounds
        self.out = queue.Queue(maxsize=2)

    def run(self):
        rng = np.random.default_rng(0)
        for _ in range(self.rounds):
            order = rng.permutation(len(self.x))
            for lo in range(0, len(order), self.batch):
                pick = order[lo:lo + self.batch]
                self.out.put((np.roll(self.x[pick], rng.integers(-1, 2), axis=1), self.y[pick]))
        self.out.put(None)


def main():
    keras.utils.set_random_seed(8)
    jobs = [(start(1, 40), 120), (start(2, 30, slow=True), 2), (start(3, 40), 120)]
    rows = [row for process, patience in jobs for row in harvest(process, patience)]
    x = np.array([r["curve"] for r in rows], "float32")[..., None]
    y = np.array([r["planet"] for r in rows], "float32")
    print("curves", x.shape, "with a planet", int(y.sum()))

    model = keras.Sequential([
        keras.Input((BINS, 1)), keras.layers.Conv1D(8, 5, activation="relu"),
        keras.layers.Flatten(), keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    feeder = Feeder(x, y, batch=32, rounds=3)
    feeder.start()
    for batch in iter(feeder.out.get, None):
        logs = model.train_on_batch(*batch, return_dict=True)
    feeder.join()
    print("last", {k: round(float(v), 3) for k, v in logs.items()})
    print("Aborted jobs: 1, failed checksums: 1, usable curves:", len(rows))


if __name__ == "__main__":
    main()
