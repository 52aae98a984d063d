# %% imports
import re
import numpy as np
import tensorflow as tf

# %% data
texts = [
    "great phone really love it", "terrible battery and slow screen",
    "love the camera and the screen", "slow and ugly do not buy",
    "really great battery", "the phone broke after one week",
    "do love the ugly duck cover", "one great camera", "broke and slow",
] * 4
labels = np.array([1, 0, 1, 0, 1, 0, 1, 1, 0] * 4, dtype="float32")

# %% tokenise
word_index = {}
for t in texts:
    for w in re.findall(r"[a-z]+", t):
        if w not in word_index:
            word_index[w] = len(word_index) + 1

seqs = [[word_index[w] for w in re.findall(r"[a-z]+", t)] for t in texts]
max_len = max(len(s) for s in seqs)
padded = tf.keras.utils.pad_sequences(seqs, maxlen=max_len, padding="post")
vocab_size = len(word_index)
print("vocab", vocab_size, "maxlen", max_len)

# %% model
emb = tf.Variable(tf.random.normal([vocab_size, 8], stddev=0.1), name="emb")
w = tf.Variable(tf.zeros([8, 1]), name="w")
b = tf.Variable(tf.zeros([1]), name="b")
opt = tf.keras.optimizers.Adam(0.05)


def forward(ids):
    mask = tf.cast(ids > 0, tf.float32)[..., tf.newaxis]
    vec = tf.nn.embedding_lookup(emb, ids)
    pooled = tf.reduce_sum(vec * mask, axis=1) / tf.reduce_sum(mask, axis=1)
    return tf.squeeze(tf.matmul(pooled, w) + b, axis=-1)


# %% train
ds = tf.data.Dataset.from_tensor_slices((padded, labels)).batch(12)
for epoch in range(2):
    for ids, y in ds:
        with tf.GradientTape() as tape:
            logits = forward(ids)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
        grads = tape.gradient(loss, [emb, w, b])
        opt.apply_gradients(zip(grads, [emb, w, b]))
    print("epoch", epoch, "loss", float(loss))
