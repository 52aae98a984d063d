import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
SPECIAL = ["<pad>", "<unk>"]
WORDS = ["sun", "rain", "wind", "snow", "fog", "hail"]
DIM = 6


def pretrained():
    rng = np.random.default_rng(4)
    vectors = {w: rng.normal(size=DIM) for w in WORDS}
    table = [np.zeros(DIM), rng.normal(size=DIM)] + [vectors[w] for w in WORDS]
    return np.array(table, "float32")


def ids(text):
    index = {w: i for i, w in enumerate(SPECIAL + WORDS)}
    return [index.get(w, 1) for w in text.split()]


rows = len(WORDS)
embedding = tf.get_variable("embedding", shape=[rows, DIM], trainable=False)
table_in = tf.placeholder(tf.float32, shape=[None, DIM], name="table")
load_table = tf.assign(embedding, table_in, validate_shape=True)

tokens = tf.placeholder(tf.int32, shape=[None, None], name="tokens")
vectors = tf.nn.embedding_lookup(embedding, tokens)
sentence = tf.reduce_mean(vectors, axis=1)
score = tf.squeeze(tf.matmul(sentence, tf.ones([DIM, 1])), axis=1)

texts = ["sun and wind", "rain rain hail", "fog then snow"]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(load_table, {table_in: pretrained()})
    print(sess.run(score, {tokens: [ids(t) for t in texts]}))
