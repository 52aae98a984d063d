import tensorflow as tf


def encode(sents, words, tags):
    xs = [words.encode([w for w, _ in s]) for s in sents]
    ys = [tags.encode([t for _, t in s]) for s in sents]
    return xs, ys


def make_dataset(sents, words, tags, batch, training, seed=0):
    xs, ys = encode(sents, words, tags)

    def gen():
        for x, y in zip(xs, ys):
            yield x, y

    sig = (tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32))
    ds = tf.data.Dataset.from_generator(gen, output_signature=sig)
    if training:
        ds = ds.shuffle(len(xs), seed=seed)
    ds = ds.padded_batch(batch)
    depth = max(tags.index.values()) + 1

    def one_hot(x, y):
        weight = tf.cast(y > 0, tf.float32)
        return x, tf.one_hot(y, depth), weight

    return ds.map(one_hot).prefetch(1)
