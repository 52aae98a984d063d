"""Finds the largest tile the renderer takes, by trying.

The renderer (a fixed reshape, as in the firmware) accepts only tile counts that divide
the frame, so most of the candidates are expected to be refused.
"""
import numpy as np
import tensorflow as tf

FRAME = 48
CANDIDATES = [20, 18, 16, 14, 12]


@tf.function
def render(frame, tiles):
    side = FRAME // tiles
    t = tf.reshape(frame, [tiles, side, tiles, side])
    return tf.reduce_mean(t, axis=[1, 3])


def probe(frame):
    refused = []
    for tiles in CANDIDATES:
        try:
            out = render(frame, tf.constant(tiles))
        except tf.errors.InvalidArgumentError as err:
            first = str(err).splitlines()[0]
            print(f"  {tiles:3d} tiles refused: {first[:90]}")
            refused.append(tiles)
            continue
        print(f"  {tiles:3d} tiles accepted, overview {out.shape}")
        return tiles, refused
    raise RuntimeError("no tile count fits")


def main():
    rng = np.random.default_rng(2)
    frame = tf.constant(rng.uniform(size=(FRAME, FRAME)).astype("float32"))
    tiles, refused = probe(frame)
    assert tiles == 16 and refused == [20, 18]
    view = render(frame, tf.constant(tiles))
    direct = frame.numpy().reshape(16, 3, 16, 3).mean((1, 3))
    print("largest difference to numpy: %.1e" % np.abs(view.numpy() - direct).max())


if __name__ == "__main__":
    main()
