"""Forecasts for several shops: one small network each, trained in worker processes.

The parent keeps the results and writes the order list.
"""
import multiprocessing as mp
import threading
import time

import numpy as np
import tensorflow as tf

SHOPS = ["harbour", "station", "campus"]
LAGS = 14


class Progress:
    """Counts finished epochs of all shops; safe to call from several threads."""

    def __init__(self, total):
        self.total = total
        self.done = 0
        self.lock = threading.Lock()
        self.started = time.monotonic()

    def tick(self):
        with self.lock:
            self.done += 1
            if self.done % 5 == 0:
                print(f"{self.done}/{self.total} after {time.monotonic() - self.started:.0f} s", flush=True)


class ShopJob:
    def __init__(self, shop, seed, epochs, progress):
        self.shop = shop
        self.seed = seed
        self.epochs = epochs
        self.progress = progress

    def sales(self, days=240):
        rng = np.random.default_rng(self.seed)
        week = np.array([1, 0.9, 0.9, 1.0, 1.3, 1.6, 0.4])
        level = rng.uniform(80, 200) * np.exp(np.cumsum(rng.normal(0, 0.01, days)))
        return (level * week[np.arange(days) % 7] * rng.normal(1, 0.05, days)).astype("float32")

    def __call__(self):
        s = self.sales()
        scale = s.mean()
        x = np.lib.stride_tricks.sliding_window_view(s / scale, LAGS)[:-1].copy()
        y = (s / scale)[LAGS:, None]
        tf.keras.utils.set_random_seed(self.seed)
        model = tf.keras.Sequential([
            tf.keras.Input((LAGS,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1),
        ])
        model.compile("adam", "mae")
        for _ in range(self.epochs):
            model.fit(x[:-28], y[:-28], batch_size=16, epochs=1, verbose=0)
            self.progress.tick()
        mae = float(model.evaluate(x[-28:], y[-28:], verbose=0))
        return self.shop, mae * float(scale), float(model(x[-1:])[0, 0]) * float(scale)


def run(job):
    return job()


def main():
    epochs = 4
    progress = Progress(len(SHOPS) * epochs)
    jobs = [ShopJob(shop, seed, epochs, progress) for seed, shop in enumerate(SHOPS)]
    print("tensorflow", tf.__version__, "|", len(jobs), "shops")
    with mp.get_context("spawn").Pool(2) as pool:
        results = pool.map(run, jobs)
    for shop, mae, tomorrow in results:
        print(f"{shop:10s} mae {mae:6.1f}  order for tomorrow {tomorrow:6.0f}")


if __name__ == "__main__":
    main()
