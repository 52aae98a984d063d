"""Phase picking on seismograms; every stage is compiled with XLA where that works.

`compiled` tries a stage with jit_compile=True on a sample and keeps the plain graph where XLA refuses it.
"""
import logging
import time

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S")
LOG = logging.getLogger("picker")

HZ = 50
SAMPLES = 400


def traces(n, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(SAMPLES)
    onset = rng.integers(80, 320, n)
    noise = rng.normal(0, 0.1, (n, SAMPLES))
    dt = np.clip(t[None] - onset[:, None], 0, None)
    burst = np.exp(-dt / 60.0) * np.sin(dt * 0.6) * (dt > 0)
    return (noise + burst).astype("float32"), onset


def compiled(fn, *sample):
    jit = tf.function(fn, jit_compile=True)
    try:
        jit(*sample)
        LOG.info("%s: XLA", fn.__name__)
        return jit
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, tf.errors.InternalError) as e:
        first = str(e).strip().splitlines()[0][:160]
        LOG.warning("%s: XLA compilation failed, plain graph instead: %s", fn.__name__, first)
        return tf.function(fn)


def characteristic(x):
    """Ratio of short-term to long-term energy (STA/LTA)."""
    e = tf.square(x)[..., None]
    sta = tf.nn.avg_pool1d(e, 10, 1, "SAME")
    lta = tf.nn.avg_pool1d(e, 120, 1, "SAME")
    return (sta / (lta + 1e-6))[..., 0]


def spectrum(x):
    s = tf.signal.stft(x, frame_length=64, frame_step=16)
    return tf.math.log(tf.abs(s) + 1e-6)


def describe(onset):
    """Labels such as 'P 4.12 s' for the bulletin."""
    sec = tf.strings.as_string(tf.cast(onset, tf.float32) / HZ, precision=2)
    return tf.strings.join(["P ", sec, " s"])


def quality(ratio):
    return tf.reduce_max(ratio, axis=1) / tf.reduce_mean(ratio, axis=1)


def main():
    x, onset = traces(64, 0)
    x = tf.constant(x)
    sta_lta = compiled(characteristic, x)
    spec = compiled(spectrum, x)
    label = compiled(describe, tf.constant(onset))
    qual = compiled(quality, sta_lta(x))

    model = tf.keras.Sequential([
        tf.keras.layers.Conv1D(8, 15, padding="same", activation="relu"),
        tf.keras.layers.Conv1D(1, 15, padding="same"),
    ])
    opt = tf.keras.optimizers.Adam(0.01)

    def loss_of(batch, at):
        logits = model(sta_lta(batch)[..., None])[..., 0]
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=at, logits=logits))

    @tf.function
    def step(batch, at):
        with tf.GradientTape() as tape:
            loss = loss_of(batch, at)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    t0 = time.time()
    at = tf.constant(onset)
    for k in range(60):
        loss = step(x, at)
    LOG.info("60 steps in %.1f s, loss %.3f", time.time() - t0, float(loss))

    tx, tonset = traces(40, 1)
    ratio = sta_lta(tf.constant(tx))
    pick = tf.argmax(model(ratio[..., None])[..., 0], axis=1)
    error = np.abs(pick.numpy() - tonset) / HZ
    print("spectrogram", spec(tf.constant(tx)).shape, "mean quality", round(float(tf.reduce_mean(qual(ratio))), 2))
    print("median picking error [s]:", np.median(error))
    for s, e in zip(label(pick[:4]).numpy(), error):
        print("  ", s.decode(), "" if e < 0.5 else "(failed)")


if __name__ == "__main__":
    main()
