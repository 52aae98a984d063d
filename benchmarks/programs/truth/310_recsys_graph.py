"""Two-tower retrieval of library books, graph mode (compat.v1), shared by the nightly job and the kiosk."""
import collections

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

READERS, BOOKS, GENRES = 300, 120, 9
DIM = 12
Loan = collections.namedtuple("Loan", "reader book genres")


def loans(n, seed=0):
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(READERS, 4))
    style = rng.normal(size=(BOOKS, 4))
    genre = (rng.random((BOOKS, GENRES)) < 0.25).astype("float32")
    reader = rng.integers(0, READERS, n)
    cand = rng.integers(0, BOOKS, (n, 6))
    book = cand[np.arange(n), (taste[reader][:, None] * style[cand]).sum(-1).argmax(1)]
    return Loan(reader.astype("int32"), book.astype("int32"), genre[book])


def dense(x, units, name):
    with tf1.variable_scope(name, reuse=tf1.AUTO_REUSE):
        w = tf1.get_variable("w", [x.shape[-1] if x.shape[-1] is not None else DIM, units],
                             initializer=tf1.glorot_uniform_initializer(seed=1))
        b = tf1.get_variable("b", [units], initializer=tf1.zeros_initializer())
    return tf.matmul(x, w) + b


class Towers:
    def __init__(self, temperature=0.2):
        self.reader = tf1.placeholder(tf.int32, [None], name="reader")
        self.book = tf1.placeholder(tf.int32, [None], name="book")
        self.genres = tf1.placeholder(tf.float32, [None, None], name="genres")
        self.temperature = temperature

        with tf1.variable_scope("tables"):
            readers = tf1.get_variable("readers", [READERS, DIM], initializer=tf1.random_normal_initializer(0, 0.1, seed=2))
            books = tf1.get_variable("books", [BOOKS, DIM], initializer=tf1.random_normal_initializer(0, 0.1, seed=3))
        self.u = tf.nn.l2_normalize(dense(tf.gather(readers, self.reader), DIM, "query"), axis=1)
        extra = tf.nn.relu(dense(self.genres, DIM, "genre"))
        self.v = tf.nn.l2_normalize(tf.gather(books, self.book) + extra, axis=1)

        logits = tf.matmul(self.u, self.v, transpose_b=True) / self.temperature
        n = tf.shape(logits)[0]
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(n), logits=logits))
        hit = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), tf.range(n))
        self.recall = tf.reduce_mean(tf.cast(hit, tf.float32))
        self.train = tf1.train.AdamOptimizer(0.01).minimize(self.loss)

    def feed(self, batch):
        return {self.reader: batch.reader, self.book: batch.book, self.genres: batch.genres}


def minibatches(data, size, rng):
    order = rng.permutation(len(data.reader))
    for k in range(0, len(order), size):
        take = order[k : k + size]
        yield Loan(*[column[take] for column in data])


def main():
    data = loans(3000)
    graph = tf.Graph()
    with graph.as_default():
        towers = Towers()
        init = tf1.global_variables_initializer()
    config = tf1.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=1)
    config.graph_options.optimizer_options.global_jit_level = tf1.OptimizerOptions.OFF
    rng = np.random.default_rng(7)
    with tf1.Session(graph=graph, config=config) as sess:
        sess.run(init)
        for epoch in range(4):
            rows = [sess.run([towers.loss, towers.recall, towers.train], towers.feed(b))[:2]
                    for b in minibatches(data, 60, rng)]
            loss, recall = np.mean(rows, axis=0)
            print(f"epoch {epoch}: loss {loss:.3f} in-batch recall {recall:.3f}")


if __name__ == "__main__":
    main()
