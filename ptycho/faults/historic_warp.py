"""The warp of the time of the reports: four gathers of single pixels, and weights of the full size.

Whether XLA reports a wrong number of rows, and how, depends on how the warp is written. This one states the size of its
batch many times, for some tensors from the images and for others from the translations. Faults about such messages
bring it with them. It gives the same images as the model's own warp.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptycho.faults.registry import Patch


def patches() -> Sequence[Patch]:
    """The inner functions of the warp, and a compiled function that has not traced others yet."""
    import tensorflow as tf

    from ptycho import projective_warp_xla as module

    def _blend(images, rows, columns, down, across):
        """See `ptycho.projective_warp_xla._blend`."""
        shape = tf.shape(images)
        result = tf.zeros_like(images)
        for i in (0, 1):
            for j in (0, 1):
                weights = tf.reshape(down[i][:, :, None] * across[j][:, None, :], [shape[0], shape[1], shape[2]])
                result += weights[..., None] * module._gather_bhw(images, rows + i, columns + j)
        return result

    def _gather_bhw(images, rows, columns):
        """Pixels (K H W c) of images (K H W c) at rows (K H) and columns (K W), the nearest where they lie outside."""
        shape = tf.shape(images)
        B, H, W, channels = shape[0], shape[1], shape[2], shape[3]
        index = tf.clip_by_value(rows, 0, H - 1)[:, :, None] * W + tf.clip_by_value(columns, 0, W - 1)[:, None, :]
        pixels = tf.reshape(images, [B, H * W, channels])
        gathered = tf.gather(pixels, tf.reshape(index, [B, H * W]), batch_dims=1)
        return tf.reshape(gathered, [B, H, W, channels])

    return [
        (module, "_blend", _blend),
        (module, "_gather_bhw", _gather_bhw),
        (module, "projective_warp_xla_jit", fresh_jit()),
    ]


def fresh_jit():
    """A `projective_warp_xla_jit` without the traces of the one that the module has."""
    import tensorflow as tf

    from ptycho import projective_warp_xla as module

    @tf.function(jit_compile=True)
    def projective_warp_xla_jit(images, transforms):
        return module.projective_warp_xla(images, transforms)

    return projective_warp_xla_jit
