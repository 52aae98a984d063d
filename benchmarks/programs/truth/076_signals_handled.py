"""Long loop with a graceful stop by signal and a time limit per item."""
import os
import signal
import numpy as np
import tensorflow as tf


class TimeLimit(Exception):
    pass


def on_alarm(signum, frame):
    raise TimeLimit(f"signal {signum}")


class GracefulStop:
    def __init__(self):
        self.requested = False
        signal.signal(signal.SIGTERM, self)

    def __call__(self, signum, frame):
        print("received", signal.Signals(signum).name, "- finishing the current item", flush=True)
        self.requested = True


def slow_item():
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        while True:
            tf.reduce_sum(tf.ones([64, 64]))
    except TimeLimit as limit:
        print("item given up after its time limit:", limit)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


signal.signal(signal.SIGALRM, on_alarm)
stop = GracefulStop()
slow_item()
total = 0.0
for i in range(1000):
    total += float(tf.reduce_mean(tf.constant(np.full(8, i), tf.float32)))
    if i == 5:
        os.kill(os.getpid(), signal.SIGTERM)
    if stop.requested:
        break
print("items", i + 1, "total", total)
