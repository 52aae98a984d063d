"""Parameter scan of a queueing model in worker processes."""
import multiprocessing as mp
import numpy as np

GRID = [(0.5, 1.0), (0.8, 1.0), (1.0, 1.0), (0.3, 0.9)]


def expected_wait(arrival, service):
    return arrival / (service * (service - arrival))


def simulate(point):
    arrival, service = point
    rng = np.random.default_rng(int(100 * arrival))
    draws = rng.exponential(1 / service, 200)
    return {"point": point, "wait": expected_wait(arrival, service), "mean_service": float(draws.mean())}


def summarise(rows):
    import tensorflow as tf

    waits = tf.constant([r["wait"] for r in rows], tf.float32)
    return float(tf.reduce_mean(waits)), float(tf.reduce_max(waits))


def main():
    context = mp.get_context("spawn")
    with context.Pool(2) as pool:
        rows = pool.map(simulate, GRID, chunksize=1)
    mean, worst = summarise(rows)
    print(f"mean wait {mean:.2f}, worst {worst:.2f}")


if __name__ == "__main__":
    main()
