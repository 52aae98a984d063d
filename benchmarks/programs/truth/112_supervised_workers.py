"""Supervisor restarts worker threads that die (chaos test)."""
import threading
import numpy as np
import tensorflow as tf

CRASHES = {("w1", 0): ValueError("injected fault"), ("w2", 1): tf.errors.AbortedError(None, None, "injected abort")}


class Worker(threading.Thread):
    def __init__(self, name, attempt, results):
        super().__init__(name=f"{name}#{attempt}")
        self.key, self.results, self.failed = (name, attempt), results, False

    def run(self):
        try:
            if self.key in CRASHES:
                raise CRASHES[self.key]
            self.results[self.key[0]] = float(tf.reduce_sum(tf.constant(np.arange(5.0))))
        except BaseException:
            self.failed = True
            raise


def supervise(names, attempts=3):
    results = {}
    for attempt in range(attempts):
        todo = [n for n in names if n not in results]
        workers = [Worker(n, attempt if n != "w2" else attempt + 1, results) for n in todo]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
            if w.failed:
                print("restarting", w.name)
        if len(results) == len(names):
            return results
    raise RuntimeError("workers keep dying")


print(supervise(["w0", "w1", "w2"]))
