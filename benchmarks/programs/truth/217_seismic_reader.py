"""Seismic windows are cut by a reader thread while the picker network works on them."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import queue
import threading

import numpy as np
import tensorflow as tf

WINDOW = 200
STATIONS = {"KBS": 6000, "HOPEN": 5150, "BJO1": 4400}
work = queue.Queue(maxsize=4)


def waveform(n, seed):
    g = np.random.default_rng(seed)
    trace = g.normal(0, 1, n)
    trace[n // 2:n // 2 + 150] += 6 * np.exp(-np.arange(150) / 40)
    return trace.astype("float32")


def reader():
    for i, (station, samples) in enumerate(STATIONS.items()):
        trace = tf.constant(waveform(samples, i))
        windows = tf.reshape(trace, [-1, WINDOW])
        work.put((station, windows))
    work.put(None)


@tf.function(jit_compile=True)
def sta_lta(windows):
    energy = tf.square(windows)
    sta = tf.reduce_mean(energy[:, -40:], axis=1)
    return sta / (tf.reduce_mean(energy, axis=1) + 1e-3)


def main():
    thread = threading.Thread(target=reader, name="reader", daemon=True)
    thread.start()
    scores = {}
    while True:
        try:
            item = work.get(timeout=4)
        except queue.Empty:
            print("reader has gone quiet, closing")
            break
        if item is None:
            break
        station, windows = item
        scores[station] = float(tf.reduce_max(sta_lta(windows)))
    for station in STATIONS:
        print(f"{station:6s} {scores[station]:.2f}")


main()
