import numpy as np
import tensorflow as tf

DIM, BITS = 16, 6


def planes():
    return tf.random.stateless_normal((DIM, BITS), seed=[3, 14])


PLANES = planes()


def code(x):
    w = planes()
    bit = tf.cast(tf.matmul(x, w) > 0.0, tf.int32)
    return tf.reduce_sum(bit * tf.constant([2 ** k for k in range(BITS)]), axis=1)


@tf.function(jit_compile=True)
def query_code(x):
    return code(x)


class Index:
    def __init__(self, docs):
        self.docs, self.bucket = docs, {}
        for i, c in enumerate(code(tf.constant(docs)).numpy()):
            self.bucket.setdefault(int(c), []).append(i)

    def nearest(self, q):
        found = []
        for row, c in zip(q, query_code(tf.constant(q)).numpy()):
            cand = self.bucket.get(int(c), range(len(self.docs)))
            found.append(max(cand, key=lambda i: float(self.docs[i] @ row)))
        return np.array(found)


rng = np.random.default_rng(48)
docs = rng.normal(size=(300, DIM)).astype("float32")
docs /= np.linalg.norm(docs, axis=1, keepdims=True)
index = Index(docs)
picked = rng.integers(0, 300, 50)
queries = docs[picked] + 0.01 * rng.normal(size=(50, DIM)).astype("float32")
print("buckets in use:", len(index.bucket))
print("recall at one: %.2f" % np.mean(index.nearest(queries) == picked))
