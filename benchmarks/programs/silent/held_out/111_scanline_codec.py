"""Store grey frames as left-neighbour differences in one byte per pixel."""
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(37)
FRAMES, HEIGHT, WIDTH = 4, 12, 24


def make_frames():
    yy, xx = np.mgrid[0:HEIGHT, 0:WIDTH]
    stack = []
    for k in range(FRAMES):
        wave = 128 + 90 * np.sin((xx + 3 * k) / 4.0) * np.cos(yy / 5.0)
        stack.append(np.clip(wave + rng.normal(0, 4, wave.shape), 0, 255))
    return np.floor(np.stack(stack)).astype("float32")


@tf.function(jit_compile=True)
def encode(frames):
    left = tf.pad(frames[:, :, :-1], [[0, 0], [0, 0], [1, 0]])
    change = frames - left
    word = tf.cast(change, tf.uint32)
    return tf.cast(tf.bitwise.bitwise_and(word, 255), tf.uint8)


@tf.function(jit_compile=True)
def decode(codes):
    total = tf.cumsum(tf.cast(codes, tf.int32), axis=2)
    return tf.cast(tf.math.floormod(total, 256), tf.float32)


def bits_per_pixel(codes):
    counts = np.bincount(codes.ravel(), minlength=256)
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


frames = make_frames()
codes = encode(tf.constant(frames))
restored = decode(codes).numpy()

print(f"raw entropy   {bits_per_pixel(frames.astype('uint8')):.3f} bits")
print(f"coded entropy {bits_per_pixel(codes.numpy()):.3f} bits")
print(f"mean grey before {frames.mean():.2f} after {restored.mean():.2f}")
print(f"largest error {np.abs(frames - restored).max():.1f}")
