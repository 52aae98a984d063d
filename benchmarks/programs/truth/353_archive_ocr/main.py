"""Train a line reader with CTC, decode greedily, restore the best checkpoint."""
import os
import tempfile

import numpy as np
import tensorflow as tf

from lines import GLYPHS, HEIGHT, draw

BLANK = GLYPHS


class Reader(tf.Module):
    def __init__(self, width=20):
        super().__init__()
        g = tf.random.Generator.from_seed(1)
        self.k = tf.Variable(g.normal([4, HEIGHT, width], stddev=0.2))
        self.b = tf.Variable(tf.zeros([width]))
        self.o = tf.Variable(g.normal([width, GLYPHS + 1], stddev=0.2))

    def __call__(self, x):
        h = tf.nn.relu(tf.nn.conv1d(x, self.k, stride=2, padding="SAME") + self.b)
        return h @ self.o


def ctc(logits, y, frames, letters):
    safe = tf.where(y < 0, 0, y)
    return tf.reduce_mean(tf.nn.ctc_loss(
        labels=safe, logits=logits, label_length=letters, logit_length=frames,
        logits_time_major=False, blank_index=BLANK))


def main():
    x, y, widths, letters = draw(24, seed=1799)
    frames = (widths + 1) // 2
    print("lines", x.shape, "texts", y.shape, "-1 marks the end of a text")
    reader = Reader()
    opt = tf.keras.optimizers.Adam(0.02)
    step_count = tf.Variable(0)
    ckpt = tf.train.Checkpoint(reader=reader, step=step_count)
    with tempfile.TemporaryDirectory() as folder:
        manager = tf.train.CheckpointManager(ckpt, folder, max_to_keep=1)
        print("latest checkpoint:", manager.latest_checkpoint, "- starting from scratch")
        best = np.inf
        for epoch in range(12):
            with tf.GradientTape() as tape:
                loss = ctc(reader(x), y, frames, letters)
            grads = tape.gradient(loss, reader.trainable_variables)
            opt.apply_gradients(zip(grads, reader.trainable_variables))
            step_count.assign_add(1)
            if float(loss) < best:
                best = float(loss)
                manager.save()
        print("best loss", round(best, 3))
        fresh = Reader()
        status = tf.train.Checkpoint(reader=fresh).restore(manager.latest_checkpoint)
        status.expect_partial()
        print("restored", os.path.basename(manager.latest_checkpoint))
        assert np.allclose(fresh.o.numpy(), reader.o.numpy())
    logits = tf.transpose(fresh(x), [1, 0, 2])
    decoded, score = tf.nn.ctc_greedy_decoder(logits, tf.constant(frames, tf.int32),
                                              blank_index=BLANK)
    text = tf.sparse.to_dense(decoded[0], default_value=-1)
    print("decoded", text.shape, "against", y.shape, "- widths may differ; padded with -1")
    print("neg sum of logits", score.shape)


if __name__ == "__main__":
    main()
