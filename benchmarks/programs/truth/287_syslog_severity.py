"""Sorts syslog lines by severity with a small character CNN.

The model is only a first filter: the on-call engineer sees what it marks as critical.
"""
import os
import random
import tempfile

import keras
import numpy as np
import tensorflow as tf

TEMPLATES = {
    "info": [
        "sshd[{n}]: accepted publickey for user{n} from 10.0.{a}.{b}",
        "systemd[1]: started session {n} of user user{a}",
        "cron[{n}]: job finished, 0 errors",
        "backup[{n}]: copied {a} files, failed: 0",
    ],
    "warning": [
        "kernel: cpu{a} temperature above threshold, throttled",
        "ntpd[{n}]: time correction of {a}.{b} s exceeds sanity limit",
        "postfix[{n}]: connection to relay {a} timed out, will retry",
        "smartd[{n}]: device /dev/sd{a}, {b} pending sectors",
    ],
    "critical": [
        "kernel: Out of memory: Killed process {n} (java), {a} kB",
        "postgres[{n}]: PANIC: could not write to file pg_xlog: No space left on device",
        "app[{n}]: Traceback (most recent call last): InvalidArgumentError at row {a}",
        "kernel: EXT4-fs error (device sda{a}): inode #{n}: comm mv: corrupted",
    ],
}
LEVELS = list(TEMPLATES)
LENGTH = 96


def generate(count, seed):
    rnd = random.Random(seed)
    lines, levels = [], []
    for _ in range(count):
        lv = rnd.choices(LEVELS, weights=[6, 3, 1])[0]
        t = rnd.choice(TEMPLATES[lv])
        lines.append(t.format(n=rnd.randint(100, 32000), a=rnd.randint(0, 99), b=rnd.randint(0, 255)))
        levels.append(LEVELS.index(lv))
    return lines, np.array(levels)


def encode(lines):
    raw = tf.io.decode_raw([s.lower()[:LENGTH].ljust(LENGTH, "\0") for s in lines], tf.uint8)
    return tf.cast(raw, tf.int32).numpy()


def class_weights(y):
    counts = np.bincount(y, minlength=len(LEVELS))
    return {i: len(y) / (len(LEVELS) * c) for i, c in enumerate(counts)}


def build():
    i = keras.Input((LENGTH,), dtype="int32")
    h = keras.layers.Embedding(256, 12)(i)
    h = keras.layers.SpatialDropout1D(0.1)(h)
    h = keras.layers.Conv1D(24, 5, strides=2, activation="relu")(h)
    h = keras.layers.Conv1D(24, 5, activation="relu")(h)
    h = keras.layers.GlobalMaxPooling1D()(h)
    h = keras.layers.Dropout(0.3)(h)
    return keras.Model(i, keras.layers.Dense(len(LEVELS), activation="softmax")(h))


class Samples(keras.callbacks.Callback):
    def __init__(self, lines, every):
        super().__init__()
        self.lines, self.every = lines, every

    def on_epoch_end(self, epoch, logs=None):
        if epoch % self.every:
            return
        p = self.model.predict(encode(self.lines), verbose=0).argmax(-1)
        for s, k in zip(self.lines, p):
            print(f"    [{LEVELS[k].upper():>8}] {s}")


def main():
    keras.utils.set_random_seed(2024)
    tr_lines, tr_y = generate(2500, 1)
    va_lines, va_y = generate(500, 2)
    te_lines, te_y = generate(500, 3)
    x, vx, tx = encode(tr_lines), encode(va_lines), encode(te_lines)

    model = build()
    model.summary(print_fn=lambda s, **_: print(s))
    model.compile(keras.optimizers.Adam(3e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    with tempfile.TemporaryDirectory() as tmp:
        best = os.path.join(tmp, "best.keras")
        model.fit(
            x, tr_y, validation_data=(vx, va_y), epochs=8, batch_size=64, verbose=2,
            class_weight=class_weights(tr_y),
            callbacks=[
                Samples(te_lines[:6], every=3),
                keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True, verbose=1),
                keras.callbacks.ReduceLROnPlateau("val_loss", patience=1, verbose=1),
                keras.callbacks.ModelCheckpoint(best, save_best_only=True),
            ],
        )
        model = keras.models.load_model(best)
    loss, acc = model.evaluate(tx, te_y, verbose=0)
    guess = model.predict(tx, verbose=0).argmax(-1)
    missed = [s for s, y, g in zip(te_lines, te_y, guess) if y == 2 and g != 2]
    print(f"test loss {loss:.3f}  accuracy {acc:.3f}  error rate {1 - acc:.3f}")
    print(f"missed critical lines: {len(missed)}")
    for s in missed[:5]:
        print("  MISSED", s)


if __name__ == "__main__":
    main()
