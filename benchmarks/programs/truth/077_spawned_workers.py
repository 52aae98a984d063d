"""Score chunks in spawned processes; one worker reports a bad chunk."""
import multiprocessing as mp
import numpy as np


def score(task):
    index, chunk = task
    try:
        if not np.isfinite(chunk).all():
            raise FloatingPointError("chunk holds NaN")
        return index, float(np.linalg.norm(chunk)), None
    except FloatingPointError as error:
        return index, None, repr(error)


def make_tasks(n=6):
    rng = np.random.default_rng(1)
    chunks = [rng.normal(size=50) for _ in range(n)]
    chunks[4][7] = np.nan
    return list(enumerate(chunks))


def main():
    import tensorflow as tf

    with mp.get_context("spawn").Pool(2) as pool:
        results = pool.map(score, make_tasks())
    failed = [(i, e) for i, _, e in results if e]
    norms = tf.constant([n for _, n, e in results if not e])
    print("failed chunks (expected one):", failed)
    print("mean norm", round(float(tf.reduce_mean(norms)), 3))
    assert len(failed) == 1


if __name__ == "__main__":
    main()
