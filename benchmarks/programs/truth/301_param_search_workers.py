"""Random search for a wind-turbine power curve model; every trial runs in a process of its own.

A trial may die (out of memory, a bug in one corner of the search space): the search goes on without it.
"""
import json
import os
import signal
import subprocess
import sys

TRIALS = [
    {"id": 0, "hidden": 16, "lr": 0.01, "act": "relu"},
    {"id": 1, "hidden": 16, "lr": 0.01, "act": "softsine"},
    {"id": 2, "hidden": 4096, "lr": 0.01, "act": "tanh", "memory_mb": 64},
]


def power_curve(n, rng):
    import numpy as np

    v = rng.uniform(0, 25, n).astype("float32")
    p = 1 / (1 + np.exp(-(v - 9.0) * 0.9)) + rng.normal(0, 0.02, n)
    return v[:, None] / 25, p.astype("float32")[:, None]


def worker(trial):
    if trial["hidden"] * 4 // 100 > trial.get("memory_mb", 1024):
        # the cluster's watchdog does the same to a job that goes beyond its share
        print(f"watchdog: trial {trial['id']} exceeds {trial['memory_mb']} MB", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

    import numpy as np
    import tensorflow as tf

    tf.keras.utils.set_random_seed(trial["id"])
    x, y = power_curve(800, np.random.default_rng(0))
    model = tf.keras.Sequential([
        tf.keras.Input((1,)),
        tf.keras.layers.Dense(trial["hidden"], activation=trial["act"]),
        tf.keras.layers.Dense(1),
    ])
    model.compile(tf.keras.optimizers.Adam(trial["lr"]), "mse")
    hist = model.fit(x, y, validation_split=0.25, epochs=4, batch_size=32, verbose=0)
    print("RESULT " + json.dumps({"id": trial["id"], "val": hist.history["val_loss"][-1]}))


def launch(trial):
    return subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--worker", json.dumps(trial)],
        capture_output=True, text=True, timeout=60,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )


def search():
    scores, lost = {}, []
    for trial in TRIALS:
        try:
            p = launch(trial)
            p.check_returncode()
        except subprocess.CalledProcessError as e:
            how = signal.Signals(-e.returncode).name if e.returncode < 0 else f"status {e.returncode}"
            tail = p.stderr.strip().splitlines()[-1][:110] if p.stderr.strip() else "-"
            print(f"trial {trial['id']} FAILED ({how}): {tail}")
            sys.stderr.write(p.stderr[-600:])
            lost.append(trial["id"])
            continue
        line = [s for s in p.stdout.splitlines() if s.startswith("RESULT ")][-1]
        scores[trial["id"]] = json.loads(line[7:])["val"]
        print(f"trial {trial['id']} val mse {scores[trial['id']]:.5f}")
    return scores, lost


def main():
    scores, lost = search()
    if not scores:
        print("search failed: too few trials survived", file=sys.stderr)
        return 1
    best = min(scores, key=scores.get)
    print(f"{len(scores)} trials done, {len(lost)} failed {lost}; best is trial {best} ({scores[best]:.5f})")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(json.loads(sys.argv[2]))
    else:
        sys.exit(main())
