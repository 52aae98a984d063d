"""Sweep over smoothing strengths, one process per trial; slow trials are ended by the parent.

A trial that runs over its time is terminated (negative exit code), a trial that diverges
leaves with status 4.  Both are entries of the table, not errors of the sweep.
"""
import multiprocessing as mp
import os
import signal
import sys
import time

import numpy as np

BUDGET = 25.0
TRIALS = [
    {"name": "weak", "strength": 1e-4, "rate": 0.05},
    {"name": "wild", "strength": 1e-2, "rate": 1e12},
    {"name": "stuck", "strength": 1e-1, "rate": 0.05, "sleep": 3600},
]


def series(seed=1, n=200):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 6, n)
    return (np.sin(t) + rng.normal(0, 0.2, n)).astype("float32")


def trial(cfg, conn):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if cfg.get("sleep"):
        conn.send(("status", "waiting for the licence server"))
        time.sleep(cfg["sleep"])
    import tensorflow as tf
    y = tf.constant(series())
    f = tf.Variable(tf.zeros_like(y))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((f - y) ** 2) + cfg["strength"] * tf.reduce_mean((f[1:] - f[:-1]) ** 2)
        f.assign_sub(cfg["rate"] * tape.gradient(loss, f) * 200)
        return loss

    for k in range(60):
        loss = float(step())
        if not np.isfinite(loss):
            print(f"[{os.getpid()}] {cfg['name']}: loss {loss} after {k} steps, giving up", file=sys.stderr)
            sys.exit(4)
    conn.send(("loss", loss))


def main():
    ctx = mp.get_context("spawn")
    stuck_budget = {"stuck": 0.5}
    table = {}
    for cfg in TRIALS:
        here, there = ctx.Pipe(duplex=False)
        p = ctx.Process(target=trial, args=(cfg, there), name=cfg["name"])
        p.start()
        there.close()
        result = None
        if cfg["name"] in stuck_budget:
            result = here.recv()        # it is up and waits
        p.join(stuck_budget.get(cfg["name"], BUDGET))
        if p.is_alive():
            p.terminate()
            p.join()
        while here.poll():
            try:
                result = here.recv()
            except EOFError:
                break
        table[cfg["name"]] = (p.exitcode, result)
    for name, (code, result) in table.items():
        kind = {0: "done", 4: "diverged", -signal.SIGTERM: "killed, over time"}.get(code, "UNEXPECTED")
        print(f"{name:6s} exit {code:4d} {kind:18s} {result}")
    if any(c not in (0, 4, -signal.SIGTERM) for c, _ in table.values()):
        sys.exit("a trial ended in a way that is not accounted for")
    best = min((r[1], n) for n, (c, r) in table.items() if c == 0)
    print("best", best[1])


if __name__ == "__main__":
    main()
