import tensorflow as tf


def sliding_windows(signal, size, hop):
    """Cut a (T, C) signal to a (N, size, C) tensor."""
    total = signal.shape[0]
    pieces = []
    for start in range(0, total, hop):
        pieces.append(signal[start:start + size])
    return tf.stack(pieces, axis=0)


def standardise(signal):
    mean, var = tf.nn.moments(signal, axes=[0], keepdims=True)
    return (signal - mean) / tf.sqrt(var + 1e-6)
