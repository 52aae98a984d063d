"""Tags of museum objects: ragged text to sparse counts to co-occurrence, read to the end by hand."""
import numpy as np
import tensorflow as tf

TAGS = ["clay", "iron", "roman", "coin", "vase", "silver", "greek", "ring", "glass"]


def records(count, seed):
    rng = np.random.default_rng(seed)
    for i in range(count):
        picked = rng.choice(TAGS, size=rng.integers(0, 5), replace=False)
        yield " ".join(picked)


def numbers(table, lines):
    words = tf.strings.split(lines)
    return tf.ragged.map_flat_values(table.lookup, words)


def counts(ids, vocab):
    where = tf.stack([ids.value_rowids(), ids.values], axis=1)
    sp = tf.SparseTensor(where, tf.ones([tf.shape(where)[0]]), [ids.nrows(), vocab])
    return tf.sparse.reorder(sp)


def main():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(TAGS, tf.range(len(TAGS), dtype=tf.int64)), -1)
    lines = list(records(37, seed=11))
    ds = tf.data.Dataset.from_tensor_slices(lines).batch(8)
    total = tf.zeros([len(TAGS), len(TAGS)])
    rows, empty = 0, 0
    it = iter(ds)
    while True:
        try:
            batch = it.get_next()
        except tf.errors.OutOfRangeError as e:
            print("end of the records:", type(e).__name__, e.message)
            break
        ids = numbers(table, batch)
        sp = counts(ids, len(TAGS))
        total += tf.sparse.sparse_dense_matmul(sp, tf.sparse.to_dense(sp), adjoint_a=True)
        rows += int(ids.nrows())
        empty += int(tf.reduce_sum(tf.cast(ids.row_lengths() == 0, tf.int32)))
        print("batch", ids.shape, "places", ids.values.shape, "dense", sp.shape)
    diag = tf.linalg.diag_part(total).numpy()
    lift = total / tf.sqrt(diag[:, None] * diag[None, :])
    print("objects", rows, "without tags", empty, "most common", TAGS[int(diag.argmax())])
    assert rows == 37 and np.allclose(lift.numpy().diagonal(), 1.0)


if __name__ == "__main__":
    main()
