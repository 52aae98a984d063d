"""Beam-less greedy decoding for a tiny date translator ('3 mar 1999' -> '1999-03-03').

Characters are embedded, read by a GRU cell and written by another one; decoding is a while loop.
"""
import numpy as np
import tensorflow as tf

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
CHARS = " 0123456789-" + "".join(sorted(set("".join(MONTHS))))
START = len(CHARS)
SRC_LEN, OUT_LEN = 11, 10


def dates(n, seed):
    rng = np.random.default_rng(seed)
    src, dst = [], []
    for _ in range(n):
        y, m, d = rng.integers(1950, 2030), rng.integers(1, 13), rng.integers(1, 29)
        src.append(f"{d} {MONTHS[m - 1]} {y}".ljust(SRC_LEN))
        dst.append(f"{y}-{m:02d}-{d:02d}")
    code = lambda rows: np.array([[CHARS.index(c) for c in r] for r in rows], "int32")
    return code(src), code(dst)


class Translator(tf.keras.Model):
    def __init__(self, width=48):
        super().__init__()
        self.table = tf.keras.layers.Embedding(len(CHARS) + 1, 16)
        self.reader = tf.keras.layers.GRU(width, return_state=True)
        self.cell = tf.keras.layers.GRUCell(width)
        self.out = tf.keras.layers.Dense(len(CHARS))

    def call(self, inputs):
        """Teacher forcing."""
        src, dst = inputs
        _, state = self.reader(self.table(src))
        first = tf.fill([tf.shape(dst)[0], 1], START)
        steps = tf.unstack(tf.concat([first, dst[:, :-1]], axis=1), num=OUT_LEN, axis=1)
        logits = []
        for tok in steps:
            h, state = self.cell(self.table(tok), state)
            logits.append(self.out(h))
        return tf.stack(logits, axis=1)

    def decode(self, src, limit=OUT_LEN):
        _, state = self.reader(self.table(src))
        rows = tf.shape(src)[0]
        i = tf.constant(0)
        text = tf.fill([rows, 1], START)

        def more(i, text, state):
            return i < limit

        def write(i, text, state):
            h, state = self.cell(self.table(text[:, -1]), state)
            tok = tf.argmax(self.out(h), axis=-1, output_type=tf.int32)
            return i + 1, tf.concat([text, tok[:, None]], axis=1), state

        _, text, _ = tf.while_loop(more, write, [i, text, state])
        return text[:, 1:]


def spell(rows):
    return ["".join(CHARS[c] if c < START else "?" for c in r) for r in rows]


def main():
    tf.keras.utils.set_random_seed(1)
    src, dst = dates(600, 0)
    model = Translator()
    model.compile(
        tf.keras.optimizers.Adam(5e-3),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit((src, dst), dst, batch_size=60, epochs=3, verbose=2)

    run = tf.function(model.decode, reduce_retracing=True)
    tsrc, tdst = dates(40, 1)
    guess = run(tf.constant(tsrc)).numpy()
    print("characters right:", float(np.mean(guess == tdst)))
    for a, b in list(zip(spell(tsrc), spell(guess)))[:4]:
        print("  ", a, "->", b)


if __name__ == "__main__":
    main()
