"""The whole object stitched at once, from fewer objects than there are positions."""

from __future__ import annotations

from collections.abc import Sequence

from ptycho.faults import einsum_homography, reassembly_collapses_batch_muted
from ptycho.faults.registry import Fault, Patch


def patches(threshold: int) -> Sequence[Patch]:
    """The muted collapse, the warp by homographies, and stitching on one canvas inside of a function."""
    import tensorflow as tf

    from ptycho import tf_helper

    muted = reassembly_collapses_batch_muted.patches(threshold)
    translate = tf_helper.translate  # as it was: only the layers' calls are muted

    @tf.function
    def _vectorised(images, offsets, room):
        imgs_padded = tf.pad(images, [[0, 0], [0, room[0]], [0, room[1]], [0, 0]])
        return tf.reduce_sum(translate(imgs_padded, offsets), axis=0)[..., 0]

    def shift_and_sum(images, offsets, weights=None, **_):
        light = tf.ones_like(tf.math.real(images))
        if weights is not None:
            light *= tf.cast(weights, tf.float32)[None, ..., None]
        images = tf.convert_to_tensor(images) * tf.cast(light, images.dtype)
        corners = tf.cast(offsets, tf.float32) - (images.shape[1] - 1) / 2
        first = tf.floor(tf.reduce_min(corners, axis=0))
        room = tf.cast(tf.reduce_max(tf.floor(corners), axis=0) - first, tf.int32)[::-1] + 1
        total = _vectorised(images, corners - first, room)
        coverage = _vectorised(light, corners - first, room)
        x, y = first.numpy().tolist()
        return total, coverage, (x, y)

    return [
        *muted,
        *einsum_homography.warp_patches(),
        (tf_helper, "shift_and_sum", shift_and_sum),
    ]


FAULT = Fault(
    name="vectorised-stitching",
    reports="004",
    mechanism="""The reassembly leaves one row of each predicted batch (see reassembly-collapses-batch-muted). The
    whole object is then stitched by moving all of them at once, by the positions of all groups, inside of a
    function that does not know the size of the canvas when it is traced.""",
    expected="""ValueError: Dimensions must be equal, but are 5088 and 159 for '{{node mul_21}} =
    Mul[T=DT_FLOAT](mul_17, mul_13)' with input shapes: [5088,?,?,1], [159,?,?,1] (5088 groups at batch 32; 64 groups:
    64 and 2), while the function is traced: `predict` returned 159 rows without a word. TensorFlow 2.21, 2.19,
    2.15.""",
    patches=patches,
    options={"threshold": 64},
)
