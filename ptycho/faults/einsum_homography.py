"""An early warp: each translation is a 3x3 homography, multiplied by the grid in an einsum."""

from __future__ import annotations

from collections.abc import Sequence

from ptycho.faults import historic_warp, reassembly_collapses_batch
from ptycho.faults.registry import Fault, Patch


def warp_patches() -> Sequence[Patch]:
    """The warp alone; right wherever there are as many images as translations."""
    import tensorflow as tf

    from ptycho import projective_warp_xla as module

    def homographies(translations):
        dx, dy = tf.unstack(translations, axis=1)
        one, zero = tf.ones_like(dx), tf.zeros_like(dx)
        return tf.reshape(tf.stack([one, zero, -dx, zero, one, -dy, zero, zero, one], axis=1), [-1, 3, 3])

    def projective_warp_xla(images, transforms):
        """Images (K H W c) and their translations (K 2)."""
        transforms = homographies(transforms)  # from pixels of the result to pixels of the image
        shape = tf.shape(images)
        B, H, W = shape[0], shape[1], shape[2]
        y, x = tf.meshgrid(tf.range(tf.cast(H, images.dtype)), tf.range(tf.cast(W, images.dtype)), indexing="ij")
        grid = tf.stack([tf.reshape(x, [-1]), tf.reshape(y, [-1]), tf.ones([H * W], images.dtype)])
        source = tf.einsum("bij,jk->bik", transforms, grid)
        count = tf.shape(transforms)[0]
        sx = tf.reshape(source[:, 0] / source[:, 2], [count, H, W])
        sy = tf.reshape(source[:, 1] / source[:, 2], [count, H, W])
        x0, y0 = tf.floor(sx), tf.floor(sy)
        x1, y1 = x0 + 1, y0 + 1

        def gather(y, x):
            rows = tf.clip_by_value(tf.cast(y, tf.int32), 0, H - 1)
            columns = tf.clip_by_value(tf.cast(x, tf.int32), 0, W - 1)
            index = tf.reshape(rows * W + columns, [B, H * W])
            pixels = tf.reshape(images, [B, H * W, images.shape[-1]])
            return tf.reshape(tf.gather(pixels, index, batch_dims=1), [B, H, W, images.shape[-1]])

        def inside(y, x):
            within = (y >= 0) & (y <= tf.cast(H - 1, y.dtype)) & (x >= 0) & (x <= tf.cast(W - 1, x.dtype))
            return tf.reshape(tf.cast(within, images.dtype), [B, H, W, 1])

        corners = ((y0, x0), (y1, x0), (y0, x1), (y1, x1))
        gathered = [gather(*corner) for corner in corners]
        Ia, Ib, Ic, Id = [pixels * inside(*corner) for pixels, corner in zip(gathered, corners, strict=True)]
        fx, fy = (sx - x0)[..., None], (sy - y0)[..., None]
        wa, wb, wc, wd = (1 - fx) * (1 - fy), (1 - fx) * fy, fx * (1 - fy), fx * fy
        return wa * Ia + wb * Ib + wc * Ic + wd * Id

    return [
        (module, "projective_warp_xla", projective_warp_xla),
        (module, "projective_warp_xla_jit", historic_warp.fresh_jit()),
    ]


def patches(threshold: int) -> Sequence[Patch]:
    """That warp, and the reassembly that gives it a bounded dynamic batch."""
    return [*reassembly_collapses_batch.patches(threshold), *warp_patches()]


FAULT = Fault(
    name="einsum-homography",
    reports="000 and 001 (XLA-DYN-DOT-001)",
    mechanism="""The warp writes each translation as a homography (3 3) and multiplies it by the grid of pixels in an
    einsum (3 6084), and takes all its shapes from `tf.shape`. The reassembly is that of reassembly-collapses-batch. Its
    bounded dynamic batch meets the sizes of the grid in the warp and is taken for a known one.""",
    expected="""In a jit-compiled predict step no error, not that of the FFT either (TensorFlow 2.21 and 2.19): of 17
    groups at batch 16 come 2 objects and 17 patterns, all of a batch made from its one canvas. In a jit-compiled train
    step, at any batch: InvalidArgumentError: Input 1 to node `gradients/GatherV2_1_grad/range_3` with op Range must be
    a compile-time constant. Without XLA for the step: Input to reshape is a tensor with 389376 values, but the
    requested shape has 24336 (batch 16, N = 64). TensorFlow 2.15: InvalidArgumentError: Fail to proof the equality of
    two dimensions at compile time. The RET_CHECK of dynamic_padder.cc that was reported for 2.19 did not come up in
    2.19.1, see docs/faults.md.""",
    patches=patches,
    options={"threshold": 64},
)
