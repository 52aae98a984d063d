import tensorflow as tf

from cleaning import clean


@tf.function(jit_compile=True)
def power(flux, quality):
    x = clean(flux, quality)
    spec = tf.signal.fft(tf.cast(x, tf.complex64))
    return tf.math.real(spec * tf.math.conj(spec))


def dominant_period(flux, quality, n):
    p = power(flux, quality).numpy()[:n // 2 - 10]
    k = int(p[1:].argmax()) + 1
    return n / k
