"""Count airborne spores from traps: histograms, sparse tensors and an int overflow guard."""
import numpy as np
import tensorflow as tf

SPECIES = 6
TRAPS = 5


def trap_log(rng):
    n = rng.integers(0, 40, size=TRAPS)
    n[2] = 0
    return [rng.integers(0, SPECIES, size=k).astype("int32") for k in n]


def sparse_counts(rows):
    ragged = tf.ragged.constant([r.tolist() for r in rows], dtype=tf.int32)
    dense = tf.math.bincount(ragged, minlength=SPECIES, maxlength=SPECIES, axis=-1)
    return ragged, dense


@tf.function(jit_compile=True)
def diversity(counts):
    total = tf.reduce_sum(counts, axis=1, keepdims=True)
    p = tf.math.divide_no_nan(counts, total)
    return -tf.reduce_sum(tf.math.xlogy(p, p), axis=1)


def safe_total(counts):
    """Totals of a season in int16, as the logger stores them."""
    total = tf.reduce_sum(tf.cast(counts, tf.int64)) * 1000
    try:
        tf.debugging.assert_less_equal(total, tf.constant(np.iinfo(np.int16).max, tf.int64),
                                       message="season does not fit int16")
        return tf.cast(total, tf.int16)
    except tf.errors.InvalidArgumentError as err:
        print("falling back to int64:", err.message.splitlines()[0])
        return total


def main():
    rng = np.random.default_rng(2)
    rows = trap_log(rng)
    ragged, counts = sparse_counts(rows)
    print("ragged", ragged.shape, "row lengths", ragged.row_lengths().numpy().tolist())
    print("counts", counts.shape, counts.dtype.name)
    h = diversity(tf.cast(counts, tf.float32))
    print("diversity", h.numpy().round(3).tolist(), "- trap 2 was empty, so 0 and not NaN")
    assert np.isfinite(h).all() and h[2] == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        naive = np.divide(counts.numpy(), counts.numpy().sum(1, keepdims=True))
    print("naive share of the empty trap", naive[2][:2])
    total = safe_total(counts)
    print("season total", int(total), total.dtype.name)
    sp = tf.sparse.from_dense(counts)
    print("non-zero cells", sp.indices.shape[0], "of", TRAPS * SPECIES)


if __name__ == "__main__":
    main()
