"""Ragged sentences and a sparse term matrix."""
import numpy as np
import tensorflow as tf

DOCS = ["sun and sea", "deep sea", "the sun the sea the wind", "wind"]


def tokenise(docs):
    words = tf.strings.split(tf.constant(docs))
    vocabulary = sorted(set(words.flat_values.numpy()))
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(vocabulary, tf.range(len(vocabulary))), default_value=-1)
    return tf.ragged.map_flat_values(table.lookup, words), vocabulary


def term_matrix(ids, size):
    rows = tf.cast(ids.value_rowids(), tf.int64)
    columns = tf.cast(ids.flat_values, tf.int64)
    order = sorted(set(zip(rows.numpy(), columns.numpy())))
    return tf.sparse.SparseTensor(order, tf.ones([len(order)]), [ids.nrows(), size])


ids, vocabulary = tokenise(DOCS)
matrix = term_matrix(ids, len(vocabulary))
embedding = tf.random.stateless_normal([len(vocabulary), 3], seed=[1, 2])
means = tf.reduce_mean(tf.gather(embedding, ids), axis=1)
projected = tf.sparse.sparse_dense_matmul(matrix, embedding)
print("ragged shape", ids.shape, "row lengths", ids.row_lengths().numpy())
print("means", means.shape, "projected", projected.shape, "nnz", len(matrix.values))
