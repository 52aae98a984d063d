"""Simulates episodes in worker processes. A worker that dies is started anew with the same task."""
import multiprocessing as mp
import os
import signal
import sys
import time

import numpy as np


def worker(task, attempt, path):
    g = np.random.default_rng(task)
    steps = []
    angle = g.uniform(-0.2, 0.2)
    for t in range(120):
        force = g.choice([-1, 1])
        angle = 0.98 * angle + 0.03 * force
        steps.append((angle, force, -abs(angle)))
        if task == 2 and attempt == 1 and t == 60:
            os.kill(os.getpid(), signal.SIGKILL)
        if task == 4 and attempt <= 2 and t == 30:
            raise RuntimeError("simulator diverged, worker lost")
    np.save(path, np.array(steps, "float32"))


class Supervisor:
    def __init__(self, n_tasks, folder, limit=4):
        self.ctx = mp.get_context("fork")
        self.folder, self.limit = folder, limit
        self.pending = {k: 1 for k in range(n_tasks)}
        self.restarts = 0

    def path(self, task):
        return os.path.join(self.folder, f"episode_{task}.npy")

    def run(self):
        while self.pending:
            procs = {k: self.ctx.Process(target=worker, args=(k, a, self.path(k)), name=f"sim-{k}")
                     for k, a in self.pending.items()}
            for p in procs.values():
                p.start()
            for k, p in procs.items():
                p.join()
                if p.exitcode == 0:
                    del self.pending[k]
                    continue
                how = f"killed by signal {-p.exitcode}" if p.exitcode < 0 else f"status {p.exitcode}"
                print(f"[supervisor] sim-{k} died ({how}), restarting", file=sys.stderr)
                self.pending[k] += 1
                self.restarts += 1
                if self.pending[k] > self.limit:
                    raise SystemExit(f"sim-{k} failed {self.limit} times, giving up")
            time.sleep(0.05)


def learn(files):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import tensorflow as tf
    data = np.concatenate([np.load(f) for f in files])
    critic = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(16, "tanh"), tf.keras.layers.Dense(1)])
    critic.compile("adam", "mse")
    h = critic.fit(data[:, :2], data[:, 2], epochs=4, verbose=0)
    return len(data), h.history["loss"][-1]


if __name__ == "__main__":
    import tempfile
    folder = tempfile.mkdtemp()
    boss = Supervisor(6, folder)
    boss.run()
    n, loss = learn([boss.path(k) for k in range(6)])
    print(f"{n} transitions, {boss.restarts} restarts, critic loss {loss:.4f}")
    assert n == 720
