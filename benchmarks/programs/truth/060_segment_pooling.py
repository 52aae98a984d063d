"""Documents as groups of sentences: rows are pooled on purpose."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(4)
SENTENCES = np.array([3, 1, 4, 2])


class DocumentEncoder(tf.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = tf.Variable(tf.random.normal([dim, 6], stddev=0.3))

    @tf.function(jit_compile=True)
    def __call__(self, sentences, owner):
        hidden = tf.nn.relu(sentences @ self.w)
        totals = tf.math.unsorted_segment_sum(hidden, owner, len(SENTENCES))
        counts = tf.math.unsorted_segment_sum(tf.ones_like(hidden[:, :1]), owner, len(SENTENCES))
        return totals / tf.maximum(counts, 1.0)


owner = np.repeat(np.arange(len(SENTENCES)), SENTENCES).astype("int32")
rows = np.random.default_rng(4).normal(size=(SENTENCES.sum(), 10)).astype("float32")
encoder = DocumentEncoder(10)
documents = encoder(tf.constant(rows), tf.constant(owner))
print("rows in", rows.shape, "documents out", documents.shape)
expected = np.stack([np.maximum(rows[owner == d] @ encoder.w.numpy(), 0).mean(0) for d in range(4)])
np.testing.assert_allclose(documents, expected, rtol=1e-5, atol=1e-6)
print("batch dimension 10 -> 4 as intended")
