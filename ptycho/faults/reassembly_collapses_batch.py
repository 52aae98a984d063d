"""The batched reassembly that sums all groups into one canvas."""

from __future__ import annotations

from collections.abc import Sequence

from ptycho.faults import historic_warp
from ptycho.faults.registry import Fault, Patch


def patches(threshold: int) -> Sequence[Patch]:
    """Replace the reassembly of groups by the one that loops over chunks of `threshold` patches."""
    import tensorflow as tf

    from ptycho import tf_helper

    def _reassemble_position_batched(imgs, offsets_xy, padded_size, translation):
        channels = imgs.shape[-1]
        offsets_flat = tf_helper.flatten_offsets(offsets_xy)
        imgs_flat = tf_helper._channel_to_flat(imgs)
        count = tf.shape(imgs_flat)[0]

        def original_approach():
            padded = tf_helper.pad_patches(imgs_flat, padded_size)
            moved = translation([padded, offsets_flat])
            return tf.reduce_sum(tf_helper._flat_to_channel(moved, channels), axis=-1, keepdims=True)

        @tf.recompute_grad  # memory again: no intermediate results are kept for the gradient
        def batched_approach(imgs_flat, offsets_flat):
            def add_chunk(start, canvas):
                stop = tf.minimum(start + threshold, count)
                padded = tf_helper.pad_patches(imgs_flat[start:stop], padded_size)
                moved = translation([padded, offsets_flat[start:stop]])
                return [stop, canvas + tf.reduce_sum(moved, axis=0, keepdims=True)]

            canvas = tf.zeros([1, padded_size, padded_size, 1], imgs.dtype)
            chunks = (count + threshold - 1) // threshold
            _, canvas = tf.while_loop(
                lambda start, _: start < count, add_chunk, [tf.constant(0), canvas], maximum_iterations=chunks
            )
            return canvas

        return tf.cond(count < threshold, original_approach, lambda: batched_approach(imgs_flat, offsets_flat))

    return [(tf_helper, "_reassemble_position_batched", _reassemble_position_batched), *historic_warp.patches()]


FAULT = Fault(
    name="reassembly-collapses-batch",
    reports="000, 002, 004",
    mechanism="""To bound memory, patches are reassembled in chunks once there are `threshold` of them
    (B*C, so from B = 16 on with gridsize 2). The loop adds every patch of every group to one canvas (1 P P
    1), where there should be one for each group (B P P 1). The next layer repeats that canvas C times and
    moves these C images by B*C translations.""",
    expected="""InvalidArgumentError: Input to reshape is a tensor with 778752 values, but the requested shape
    has 24336 (N = 64, gridsize 2, batch 32: 128*78*78 against 4*78*78; batch 16: 389376; batch 15 passes).
    In a jit-compiled step (report 001) the two ways give XLA a bounded dynamic batch, which the FFT refuses, at any
    batch size: UnimplementedError: Asked to propagate a dynamic dimension from hlo ... to hlo %FFT2D.1 =
    c64[<=32,64,64] (batch 8). A jit-compiled train step that is traced with a fixed batch is silent instead, and
    returns one object for all groups.""",
    patches=patches,
    options={"threshold": 64},
)
