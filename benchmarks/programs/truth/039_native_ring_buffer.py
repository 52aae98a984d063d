"""Feed audio blocks from a native buffer into a detector."""
import ctypes
import numpy as np
import tensorflow as tf

BLOCK = 160


class RingBuffer:
    def __init__(self, blocks):
        self.data = (ctypes.c_float * (blocks * BLOCK))()
        self.blocks = blocks
        self.address = ctypes.addressof(self.data)

    def write(self, index, samples):
        offset = (index % self.blocks) * BLOCK
        for i, s in enumerate(samples):
            self.data[offset + i] = float(s)

    def read(self, index):
        start = self.address + index * BLOCK * ctypes.sizeof(ctypes.c_float)
        raw = ctypes.string_at(start, BLOCK * 4)
        return np.frombuffer(raw, dtype="float32")


@tf.function
def loudness(block):
    return 10.0 * tf.math.log(tf.reduce_mean(block ** 2) + 1e-9) / tf.math.log(10.0)


buffer = RingBuffer(blocks=4)
rng = np.random.default_rng(0)
for i in range(4):
    buffer.write(i, rng.normal(size=BLOCK) * 0.1 * (i + 1))
for position in [0, 1, 2, 3, 2 ** 40]:
    print(position, round(float(loudness(tf.constant(buffer.read(position)))), 2), flush=True)
